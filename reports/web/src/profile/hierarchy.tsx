// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The model as an icicle: model, modules, framework ops, HLO ops; width is time on the device.
import { hierarchy, type HierarchyRectangularNode, partition } from "d3-hierarchy";
import { useMemo, useState } from "preact/hooks";
import * as colour from "./colour";
import type { Profile } from "./data";
import { share, time } from "./format";
import { Select } from "./parts";
import { useWidth } from "../width";

interface Node { name: string; path: string; time: number; op: number; children: Node[] }

const LEVEL = 34;
const NARROWEST = 1.2; // pixels; narrower ones are only in the tables

export function tree(profile: Profile): Node {
  const root: Node = { name: profile.raw.header.model || "model", path: "", time: 0, op: -1, children: [] };
  profile.raw.ops.forEach((op, index) => {
    if (op.time === 0) return;
    let node = root;
    const parts = op.frameworkPath.split("/");
    parts.forEach((part, depth) => {
      let child = node.children.find((candidate) => candidate.name === part && candidate.op < 0);
      if (!child) {
        child = { name: part, path: parts.slice(0, depth + 1).join("/"), time: 0, op: -1, children: [] };
        node.children.push(child);
      }
      node = child;
    });
    node.children.push({ name: op.name, path: `${op.frameworkPath}/${op.name}`, time: op.time, op: index, children: [] });
  });
  return root;
}

export function Hierarchy({ profile, module, filter }: { profile: Profile; module: string; filter: (path: string) => void }) {
  const [paint, setPaint] = useState("op");
  const [box, width] = useWidth();
  const root = useMemo(() => hierarchy(tree(profile), (node) => node.children).sum((node) => node.time), [profile]);
  const focus = root.descendants().find((node) => node.data.path === module) ?? root;
  const { nodes, height } = useMemo(() => {
    const copy = focus.copy().sum((node) => node.time);
    const levels = copy.height + 1;
    return { nodes: partition<Node>().size([width, levels * LEVEL])(copy).descendants().filter((node) => node.x1 - node.x0 >= NARROWEST), height: levels * LEVEL };
  }, [focus, width]);
  const total = root.value ?? 0;
  if (total === 0) return <p class="empty">No op has a time: the trace has no execution spans.</p>;
  const worst = (node: HierarchyRectangularNode<Node>) => node.leaves().map((leaf) => leaf.data.op).filter((op) => op >= 0);
  const fill = (node: HierarchyRectangularNode<Node>) => {
    if (paint === "op") return colour.ofName(node.data.name);
    const ops = worst(node);
    if (paint === "error") return colour.ofError(Math.max(0, ...ops.map((op) => profile.ulp(op, "isolated"))));
    const statuses = ops.map((op) => profile.op(op)?.run?.status);
    return colour.ofStatus(statuses.find((status) => status !== undefined && status !== "pass") ?? statuses[0]);
  };
  return (
    <>
      <div class="tools">
        <Select label="Colour by" value={paint} values={[["op", "name"], ["status", "status"], ["error", "error (ULP)"]]} change={setPaint} />
        <span class="muted">100 % = {time(total)} on ops, on all devices. A click on a module filters outputs, conformance, roofline and compare.</span>
      </div>
      <div ref={box}>
      <svg class="icicle" viewBox={`0 0 ${width} ${height}`}>
        {nodes.map((node) => {
          const wide = node.x1 - node.x0;
          const room = Math.floor((wide - 8) / 7);
          const text = node.data.name;
          const paper = fill(node);
          const ink = colour.inkOn(paper);
          return (
            <g
              key={`${node.data.path} ${node.data.op}`} transform={`translate(${node.x0},${node.y0})`} tabIndex={0} role="button" class="icicle-node" data-path={node.data.path}
              aria-label={`${text}: ${time(node.value ?? 0)}, ${share(node.value ?? 0, total)}`}
              onClick={() => { filter(node.depth === 0 && module !== "" ? node.data.path.split("/").slice(0, -1).join("/") : node.data.path); }}
              onKeyDown={(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); filter(node.data.path); } }}
            >
              <title>{`${node.data.path || text}\n${time(node.value ?? 0)}, ${share(node.value ?? 0, total)} of the time on ops`}</title>
              <rect width={Math.max(0.5, wide - 1)} height={LEVEL - 1} fill={paper} rx="2" />
              {room > 2 && <text x="5" y="14" fill={ink}>{text.length > room ? `${text.slice(0, room - 1)}…` : text}</text>}
              {room > 7 && <text x="5" y="27" fill={ink} class="icicle-share">{share(node.value ?? 0, total)}</text>}
            </g>
          );
        })}
      </svg>
      </div>
    </>
  );
}
