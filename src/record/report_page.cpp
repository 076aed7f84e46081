#include "record/report_page.hpp"

namespace saltus::record {

std::string_view report_style() {
  return R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1d2430; --soft: #5d6878; --line: #dde2e9; --grid: #e9edf2;
  --accent: #2458c5; --good: #1a7f4b; --warn: #a86400; --bad: #b3261e; --hover: #f0f3f8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1a2029; --ink: #e4e8ee; --soft: #97a3b4; --line: #2c3542; --grid: #252d38;
    --accent: #7aa5ff; --good: #5fce94; --warn: #f0b45a; --bad: #ff8a80; --hover: #222a35;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1320px; margin: 0 auto; padding: 22px 20px 32px; }
header { display: flex; align-items: baseline; flex-wrap: wrap; gap: 4px 14px; margin-bottom: 16px; }
h1 { font-size: 22px; margin: 0; font-weight: 650; letter-spacing: -0.01em; }
h2 { font-size: 12px; margin: 0 0 8px; font-weight: 650; color: var(--soft); text-transform: uppercase;
  letter-spacing: 0.06em; }
.about { color: var(--soft); flex: 1 1 200px; }
.pill { border: 1px solid currentColor; border-radius: 999px; padding: 1px 11px; font-size: 12.5px; font-weight: 600; }
.success, .terminated { color: var(--good); } .stopped { color: var(--warn); } .failed { color: var(--bad); }
.message { border-left: 3px solid var(--bad); background: var(--card); padding: 8px 14px; margin: 0 0 14px;
  white-space: pre-wrap; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.plot { display: grid; grid-template-columns: minmax(0, 1fr) 240px; gap: 14px; padding: 10px 12px 12px; }
.tools { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; padding: 0 0 8px; color: var(--soft);
  font-size: 13px; grid-column: 1 / -1; }
.tools .grow { flex: 1; }
select, button, input[type=search] { font: inherit; font-size: 13px; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; padding: 3px 9px; }
button { cursor: pointer; } button:hover, select:hover { border-color: var(--accent); }
button[aria-pressed=true] { border-color: var(--accent); color: var(--accent); }
#holder { position: relative; height: min(62vh, 560px); min-height: 320px; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; cursor: crosshair;
  border-radius: 6px; }
canvas:focus-visible { outline: 2px solid var(--accent); }
#tip { position: absolute; pointer-events: none; background: var(--card); border: 1px solid var(--line);
  border-radius: 7px; padding: 6px 10px; font-size: 12.5px; box-shadow: 0 4px 14px rgba(0, 0, 0, 0.18); display: none;
  font-variant-numeric: tabular-nums; white-space: nowrap; z-index: 2; }
#tip b { font-weight: 600; } #tip td { padding: 0 10px 0 0; } #tip td:last-child { text-align: right; padding: 0; }
.dot { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 7px; flex: none; }
aside { display: flex; flex-direction: column; min-height: 0; max-height: min(62vh, 560px); }
aside .row { display: flex; gap: 6px; margin-bottom: 6px; } aside .row input { flex: 1; min-width: 0; }
#legend { overflow-y: auto; flex: 1; }
#legend label { display: flex; align-items: center; padding: 3px 6px; border-radius: 5px; cursor: pointer; }
#legend label:hover { background: var(--hover); } #legend input { margin: 0 8px 0 0; accent-color: var(--accent); }
#legend .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; }
#legend .unit { color: var(--soft); font-size: 12px; margin-left: 6px; } #legend p { margin: 8px 6px; }
.tables { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 14px; margin-top: 14px;
  align-items: start; }
.scroll { max-height: 340px; overflow: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.tables td { padding: 3px 0; border-top: 1px solid var(--grid); } .tables tr:first-child td { border-top: 0; }
.tables td:last-child { text-align: right; padding-left: 12px; overflow-wrap: anywhere; }
.tables .why td { color: var(--soft); text-align: left; border-top: 0; padding: 0 0 4px; font-size: 12.5px; }
.below { margin-top: 14px; } .below h2 { margin: 0 8px 0 0; }
#phase-holder { position: relative; height: min(56vh, 440px); min-height: 260px; } #phase { cursor: default; }
.bar { display: inline-block; width: 22px; height: 4px; background: #2c9a62; margin-right: 6px; vertical-align: middle; }
#event-table th { text-align: left; font-weight: 600; color: var(--soft); position: sticky; top: 0; background: var(--card); }
#event-table td, #event-table th { padding: 3px 16px 3px 0; border-top: 1px solid var(--grid); }
#event-table tbody tr { cursor: pointer; } #event-table tbody tr:hover { background: var(--hover); }
footer { color: var(--soft); font-size: 12.5px; margin-top: 16px; }
@media (max-width: 760px) { .plot { grid-template-columns: minmax(0, 1fr); } aside { max-height: 220px; } }
@media print { .tools, aside .row { display: none; } body { background: none; } }
)css";
}

std::string_view report_body() {
  return R"html(<body>
<main>
<header><h1 id="model"></h1><span class="about" id="about"></span><span class="pill" id="status"></span></header>
<p class="message" id="message" hidden></p>
<section class="card plot" aria-label="Trajectories">
  <div class="tools">
    <label>horizontal axis <select id="axis"></select></label>
    <button id="stack" aria-pressed="false" title="one panel for each variable">separate panels</button>
    <span class="grow"></span>
    <span>wheel: zoom · shift + wheel: zoom values · drag: move · shift + drag: zoom to box · double click: all</span>
    <button id="reset">show all</button>
  </div>
  <div id="holder"><canvas id="canvas" tabindex="0" role="img" aria-label="plot of the chosen variables"></canvas>
    <div id="tip"></div></div>
  <aside>
    <div class="row"><input type="search" id="filter" placeholder="find a variable" aria-label="find a variable">
      <button id="all">all</button><button id="none">none</button></div>
    <div id="legend"></div>
  </aside>
</section>
<section class="card below" id="phase-card"><div class="tools"><h2>Phase plot</h2>
  <label>horizontal <select id="phase-x"></select></label><label>vertical <select id="phase-y"></select></label>
  <span id="phase-slides"><span class="bar"></span>sliding</span></div>
  <div id="phase-holder"><canvas id="phase" role="img" aria-label="phase plot of two variables"></canvas></div></section>
<section class="card below" id="events-card"><div class="tools"><h2>Events</h2>
  <input type="search" id="event-filter" placeholder="find an event" aria-label="find an event">
  <select id="event-kind" aria-label="kind of event"><option value="">all kinds</option></select><span id="event-count"></span></div>
  <div class="scroll"><table id="event-table"><thead><tr><th>time</th><th>segment</th><th>kind</th><th>guard</th><th>from → to</th><th>detail</th></tr></thead><tbody></tbody></table></div></section>
<div class="tables">
  <section class="card"><h2>Statistics</h2><table id="statistics"></table></section>
  <section class="card"><h2>Values at the end</h2><div class="scroll"><table id="final"></table></div></section>
  <section class="card" id="parameters-card"><h2>Parameters</h2><div class="scroll"><table id="parameters"></table></div></section>
</div>
<footer id="footer"></footer>
</main>
</body>
)html";
}

}  // namespace saltus::record
