// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import { render } from "preact";
import { App } from "./app";
import { ComparisonPage } from "./comparison";
import { Comparison, COMPARISON_SCHEMA, type RawComparison } from "./comparison_data";
import { Page, type RawPage } from "./data";
import "./style.css";

// One bundle for both pages; the data determines which.
function content(data: RawPage | RawComparison) {
  return data.schema === COMPARISON_SCHEMA ? (
    <ComparisonPage data={new Comparison(data as RawComparison)} />
  ) : (
    <App page={new Page(data as RawPage)} />
  );
}

const root = document.getElementById("app");
const data = document.getElementById("data");
if (root && data) {
  try {
    render(content(JSON.parse(data.textContent) as RawPage | RawComparison), root);
  } catch (error) {
    render(<p class="banner">The data of this page cannot be read: {String(error)}</p>, root);
    throw error;
  }
}
