// Texts and tables of the page, and its first drawing.
#include "record/report_page.hpp"

namespace saltus::record {

std::string_view report_start_script() {
  return R"js(
// ---- texts and tables ----
$('model').textContent = summary.model;
$('about').textContent = data.description;
$('status').textContent = summary.status + (summary.status === 'success' || !summary.reason ? '' : ': ' + summary.reason.replace(/_/g, ' '));
$('status').classList.add(summary.status);
if (summary.status !== 'success') { $('message').hidden = false; $('message').textContent = summary.message; }
function table(id, rows) { for (const [name, value] of rows) { const row = $(id).insertRow(); cell(row, name); cell(row, typeof value === 'number' || value === null ? format(value, 10) : value); } }
const statistics = summary.statistics;
table('statistics', [['time', format(summary.start, 10) + ' … ' + format(summary.end, 10)], ['method', statistics.method]]);
if (statistics.method_reason) { const row = $('statistics').insertRow(); row.className = 'why'; const td = cell(row, statistics.method_reason); td.colSpan = 2; }
table('statistics', ['accepted_steps', 'rejected_steps', 'residual_evaluations', 'jacobian_evaluations', 'factorizations', 'newton_iterations', 'guard_evaluations', 'events', 'instants', 'restarts', 'accepted_sliding_steps', 'output_rows']
  .filter((k, i) => statistics[k] > 0 || i < 3).map(k => [k.replace(/_/g, ' '), count(statistics[k])]));
table('statistics', [['wall time', statistics.wall_seconds.toPrecision(3) + ' s']]);
table('final', Object.entries(summary.final).slice(0, 1000));
table('parameters', Object.entries(summary.parameters).slice(0, 1000));
$('parameters-card').hidden = !Object.keys(summary.parameters).length;
let note = count(data.rows) + ' output points';
if (data.stride > 1) note += ', drawn as ' + count(time.length) + ' buckets whose band shows the smallest and largest value';
if (data.omitted) note += '; ' + count(data.omitted) + ' further variables are in trajectory.csv only';
if (spans.length < summary.modes_total) note += '; the bar shows the first ' + count(spans.length) + ' of ' + count(summary.modes_total) + ' stretches of modes';
$('footer').textContent = note + '. Full precision is in trajectory.csv. saltus ' + summary.saltus;

startEvents();
legend(); resetView();
new ResizeObserver(draw).observe($('holder'));
new ResizeObserver(drawPhase).observe($('phase-holder'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { draw(); drawPhase(); });
)js";
}

}  // namespace saltus::record
