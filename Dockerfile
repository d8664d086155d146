# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# opbyop as it is installed from its Debian package (docs/installing.md):
#
#   docker build --tag opbyop .
#   docker run --rm --volume "$PWD:/work" opbyop opbyop --help
FROM debian:bookworm-slim AS build
COPY . /source
WORKDIR /source
RUN ./dev package deb

FROM debian:bookworm-slim
COPY --from=build /source/out/packages/*.deb /tmp/
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libopenblas0-serial python3-venv /tmp/*.deb \
  && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
CMD ["opbyop", "--help"]
