import { render } from "preact";
import { App } from "./app";
import { Page, type RawPage } from "./data";
import "./style.css";

const root = document.getElementById("app");
const data = document.getElementById("data");
if (root && data) {
  try {
    render(<App page={new Page(JSON.parse(data.textContent) as RawPage)} />, root);
  } catch (error) {
    render(<p class="banner">The data of this page cannot be read: {String(error)}</p>, root);
    throw error;
  }
}
