# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Exports dashboards of a history to Apache Superset: a bundle in assets form, on the views of a history in PostgreSQL.

    python3 -m history.superset.bundle --db postgresql://opbyop@db.example/opbyop -o opbyop.zip
    python3 -m history.superset.bundle --db postgresql://... --to http://127.0.0.1:8088 --user admin

The second command writes the bundle into a Superset, and replaces an earlier bundle there. Passwords come from the
environment (SUPERSET_PASSWORD) and, for the database, from its address.
"""

from __future__ import annotations

import argparse
import http.cookiejar
import io
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zipfile
from pathlib import Path

from history.superset.boards import HISTORY, OPTEST, Board, Dataset, Json

DATABASE = "opbyop"
ROOT = "opbyop"  # the bundle's folder
DATABASE_FILE = "databases/opbyop.yaml"
MASK = "X" * 10  # the mask that Superset writes instead of a password
STAMP = "2026-11-01T00:00:00+00:00"

COLUMNS = 12  # of a dashboard
ROW_LIMIT = 50_000

# Charts that had another name in 0.2.0. Their ids are still those of that name.
FIRST_NAMES = {
    "What to fix first": "What to mend first",
    "OpTest: what to fix first": "OpTest: what to mend first",
}


def identity(kind: str, name: str) -> str:
    """The same id in every bundle, so that a later import replaces an earlier one."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"opbyop:superset:{kind}:{FIRST_NAMES.get(name, name)}"))


def file_name(name: str) -> str:
    return "_".join(name.lower().replace(":", "").split())


def column(name: str, kind: str, expression: str | None = None) -> Json:
    return {
        "column_name": name,
        "type": kind,
        "is_dttm": kind.startswith("TIMESTAMP"),
        "is_active": True,
        "groupby": True,
        "filterable": True,
        "expression": expression,
        "verbose_name": None,
        "description": None,
        "python_date_format": None,
        "extra": {},
    }


def dataset(view: str, of: Dataset, schema: str) -> Json:
    texts, numbers, times = of[0].split(), of[1].split(), of[2]
    columns = [column(name, "TEXT") for name in texts] + [column(name, "DOUBLE PRECISION") for name in numbers]
    columns += [column(name, "TIMESTAMP WITH TIME ZONE", sql or None) for name, sql in times.items()]
    return {
        "table_name": view,
        "main_dttm_col": next(iter(times), None),
        "description": "A view of opbyop: docs/history.md",
        "default_endpoint": None,
        "offset": 0,
        "cache_timeout": None,
        "catalog": None,
        "schema": schema,
        "sql": None,
        "params": None,
        "template_params": None,
        "filter_select_enabled": True,
        "fetch_values_predicate": None,
        "extra": None,
        "uuid": identity("dataset", view),
        "metrics": [{"metric_name": "count", "expression": "count(*)", "metric_type": "count", "verbose_name": None}],
        "columns": columns,
        "version": "1.0.0",
        "database_uuid": identity("database", DATABASE),
    }


def chart(name: str, of: Json) -> Json:
    form = {
        "viz_type": of["viz"],
        "row_limit": ROW_LIMIT,
        "adhoc_filters": [],
        "time_range": "No filter",
        "server_pagination": False,
        **of["form"],
    }
    query = {"filters": [], "extras": {}, "applied_time_extras": {}, "row_limit": ROW_LIMIT, **of["query"]}
    context = {
        "datasource": {"id": 0, "type": "table"},  # its number is known once it is imported
        "force": False,
        "queries": [query],
        "form_data": form,
        "result_format": "json",
        "result_type": "full",
    }
    return {
        "slice_name": name,
        "description": None,
        "certified_by": None,
        "certification_details": None,
        "viz_type": of["viz"],
        "params": form,
        "query_context": json.dumps(context),
        "cache_timeout": None,
        "uuid": identity("chart", name),
        "version": "1.0.0",
        "dataset_uuid": identity("dataset", of["view"]),
    }


def dashboard(board: Board) -> Json:
    position: Json = {
        "DASHBOARD_VERSION_KEY": "v2",
        "ROOT_ID": {"type": "ROOT", "id": "ROOT_ID", "children": ["GRID_ID"]},
        "GRID_ID": {"type": "GRID", "id": "GRID_ID", "children": [], "parents": ["ROOT_ID"]},
        "HEADER_ID": {"type": "HEADER", "id": "HEADER_ID", "meta": {"text": board.title}},
    }
    for number, (names, height) in enumerate(board.layout):
        row = f"ROW-{number}"
        parents = ["ROOT_ID", "GRID_ID"]
        position["GRID_ID"]["children"].append(row)
        members = [f"CHART-{file_name(name)}" for name in names]
        background = {"background": "BACKGROUND_TRANSPARENT"}
        position[row] = {"type": "ROW", "id": row, "children": members, "parents": parents, "meta": background}
        for name, member in zip(names, members, strict=True):
            meta = {
                "uuid": identity("chart", name),
                "sliceName": name,
                "width": COLUMNS // len(names),
                "height": height,
                "chartId": 0,
            }
            position[member] = {
                "type": "CHART",
                "id": member,
                "children": [],
                "parents": [*parents, row],
                "meta": meta,
            }
    return {
        "dashboard_title": board.title,
        "description": board.about,
        "css": None,
        "slug": board.slug,
        "certified_by": None,
        "certification_details": None,
        "published": True,
        "uuid": identity("dashboard", board.slug),
        "position": position,
        "metadata": {"color_scheme": "supersetColors", "cross_filters_enabled": True},
        "version": "1.0.0",
    }


def address(url: str) -> tuple[str, str]:
    """SQLAlchemy's address of the database, its password masked, and the password."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres"):
        raise ValueError(f"{url}: not the address of a history in PostgreSQL: postgresql://USER@HOST/NAME")
    place = parts.netloc
    password = urllib.parse.unquote(parts.password or "")
    if password:
        user, _, host = place.rpartition("@")
        place = f"{user.partition(':')[0]}:{MASK}@{host}"
    return urllib.parse.urlunsplit(parts._replace(scheme="postgresql+psycopg2", netloc=place)), password


def assets(url: str, board: Board, schema: str = "") -> dict[str, Json]:
    """The files of the bundle. JSON is YAML."""
    files: dict[str, Json] = {
        "metadata.yaml": {"version": "1.0.0", "type": "assets", "timestamp": STAMP},
        DATABASE_FILE: {
            "database_name": DATABASE,
            "sqlalchemy_uri": address(url)[0],
            "cache_timeout": None,
            "expose_in_sqllab": True,
            "allow_run_async": False,
            "allow_ctas": False,
            "allow_cvas": False,
            "allow_dml": False,
            "allow_file_upload": False,
            "extra": {"allows_virtual_table_explore": True},
            "uuid": identity("database", DATABASE),
            "version": "1.0.0",
        },
        f"dashboards/{board.slug}.yaml": dashboard(board),
    }
    for view, columns in board.views.items():
        files[f"datasets/{DATABASE}/{view}.yaml"] = dataset(view, columns, schema or board.schema)
    for name, of in board.charts.items():
        files[f"charts/{file_name(name)}.yaml"] = chart(name, of)
    return files


def zipped(files: dict[str, Json]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{ROOT}/{name}")  # of 1980: the same bundle has the same bytes
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, json.dumps(files[name], indent=2) + "\n")
    return out.getvalue()


class Superset:
    """The API of a Superset, as one user."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self.url = url.rstrip("/")
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar)
        self.headers: dict[str, str] = {}
        login = {"username": user, "password": password, "provider": "db", "refresh": False}
        token = self.post("/api/v1/security/login", json.dumps(login).encode(), "application/json")["access_token"]
        self.headers = {"Authorization": f"Bearer {token}"}
        secret = self.get("/api/v1/security/csrf_token/")["result"]
        self.headers |= {"X-CSRFToken": secret, "Referer": self.url}

    def get(self, path: str) -> Json:
        return self.ask(urllib.request.Request(self.url + path, headers=self.headers))

    def post(self, path: str, body: bytes, kind: str) -> Json:
        return self.ask(
            urllib.request.Request(self.url + path, data=body, headers={**self.headers, "Content-Type": kind})
        )

    def ask(self, request: urllib.request.Request) -> Json:
        try:
            with self.opener.open(request, timeout=300) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")[:2000]
            raise RuntimeError(f"{request.full_url}: {error.code} {error.reason}: {text}") from error
        except (urllib.error.URLError, TimeoutError) as error:
            raise RuntimeError(f"{request.full_url}: {error}") from error

    def import_assets(self, bundle: bytes, passwords: dict[str, str]) -> None:
        mark = uuid.uuid4().hex
        parts = [
            f'Content-Disposition: form-data; name="passwords"\r\n\r\n{json.dumps(passwords)}'.encode(),
            b'Content-Disposition: form-data; name="bundle"; filename="opbyop.zip"\r\nContent-Type: application/zip'
            b"\r\n\r\n" + bundle,
        ]
        body = b"".join(b"--%s\r\n%s\r\n" % (mark.encode(), part) for part in parts) + b"--%s--\r\n" % mark.encode()
        self.post("/api/v1/assets/import/", body, f"multipart/form-data; boundary={mark}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Dashboards of a history in Apache Superset.")
    parser.add_argument("--db", required=True, help="the history: postgresql://USER@HOST/NAME, as Superset reaches it")
    parser.add_argument(
        "--optest", action="store_true", help="the dashboard of OpTest records (history.superset.optest)"
    )
    parser.add_argument("--schema", help="of the views in it; default: public, or optest")
    parser.add_argument("-o", "--output", type=Path, help="write the bundle here")
    parser.add_argument("--to", metavar="URL", help="write it into this Superset")
    parser.add_argument("--user", default="admin", help="who does; the password is in SUPERSET_PASSWORD")
    arguments = parser.parse_args()
    if not arguments.output and not arguments.to:
        parser.error("say where it goes: -o FILE or --to URL")
    try:
        board = OPTEST if arguments.optest else HISTORY
        bundle = zipped(assets(arguments.db, board, arguments.schema or ""))
        if arguments.output:
            arguments.output.write_bytes(bundle)
        if arguments.to:
            _, password = address(arguments.db)
            superset = Superset(arguments.to, arguments.user, os.environ.get("SUPERSET_PASSWORD", ""))
            superset.import_assets(bundle, {DATABASE_FILE: password} if password else {})
            place = f"{arguments.to}/superset/dashboard/{board.slug}/"
            print(f"{place}: {len(board.charts)} charts on {len(board.views)} views")
    except (OSError, RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
