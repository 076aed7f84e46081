// What the page shows of events: marks, the timeline of modes, the phase plot, the table.
#include "record/report_page.hpp"

namespace saltus::record {

std::string_view report_events_script() {
  return R"js(
// ---- events and modes ----
const kinds = { transition: '#7a62d4', condition: '#3b6fd8', slide_enter: '#2c9a62', slide_exit: '#c79a10', when: '#d9622b',
  time: '#17a0b5', immediate: '#b34bb0', zeno: '#d8476b', structure: '#8a6d3b', terminate: '#d8476b', input: '#17a0b5' };
const events = [];
for (let i = 0; i < data.events.length; i += 7) {
  const text = k => data.texts[data.events[i + k]];
  events.push({ time: data.events[i], segment: data.events[i + 1], kind: text(2), from: text(3), to: text(4), guard: text(5), detail: text(6) });
}
const spans = [];
for (let i = 0; i < data.spans.length; i += 3) spans.push({ from: data.spans[i], to: data.spans[i + 1], mode: data.spanNames[data.spans[i + 2]] });
const totalEvents = summary.events_total;
const modeNames = [...new Set(spans.map(s => s.mode))];
const isSliding = mode => mode.includes(' sliding on ');
const modeColor = mode => isSliding(mode) ? '#2c9a62' : palette[(modeNames.indexOf(mode) * 3 + 7) % palette.length];
const hasTimeline = spans.length > 1;
const stripHeight = () => axis >= 0 ? 0 : (hasTimeline ? 20 : 0) + (events.length ? 12 : 0);

// Above the panels: the modes as bars, below them a mark for each event, continued as a line where there are few.
function drawStrip(first, last) {
  if (axis >= 0 || !stripHeight()) return;
  pen.save(); pen.beginPath(); pen.rect(first.left, 0, first.width, last.top + last.height); pen.clip();
  let y = 6;
  if (hasTimeline) {
    pen.textAlign = 'left'; pen.textBaseline = 'middle'; pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    for (const span of spans) {
      const a = toX(first, Math.min(span.from, span.to)), b = toX(first, Math.max(span.from, span.to));
      if (b < first.left || a > first.left + first.width) continue;
      pen.fillStyle = modeColor(span.mode); pen.globalAlpha = 0.28;
      pen.fillRect(a, y, Math.max(b - a, 0.7), 16); pen.globalAlpha = 1;
      const begin = Math.max(a, first.left) + 4;
      if (pen.measureText(span.mode).width < Math.min(b, first.left + first.width) - begin - 2) {
        pen.fillStyle = css('--ink'); pen.fillText(span.mode, begin, y + 8.5);
      }
    }
    y += 20;
  }
  const visible = events.filter(e => e.time >= view.x0 && e.time <= view.x1), lines = visible.length <= 60;
  for (const event of visible) {
    const x = toX(first, event.time);
    pen.fillStyle = pen.strokeStyle = kinds[event.kind] || css('--soft');
    pen.beginPath(); pen.moveTo(x - 3, y); pen.lineTo(x + 3, y); pen.lineTo(x, y + 7); pen.fill();
    if (!lines) continue;
    pen.globalAlpha = 0.3; pen.lineWidth = 1; pen.beginPath(); pen.moveTo(x, y + 7); pen.lineTo(x, last.top + last.height);
    pen.stroke(); pen.globalAlpha = 1;
  }
  pen.restore();
}
const change = e => e.from === e.to ? '' : e.from + ' → ' + e.to;
// The events next to the pointer, in the box beside it.
function tipEvents(table) {
  if (axis >= 0 || !cursor || !layout.length) return;
  const near = events.filter(e => Math.abs(toX(layout[0], e.time) - cursor.x) <= 4);
  for (const e of near.slice(0, 5)) {
    const row = table.insertRow(), name = row.insertCell(), dot = document.createElement('span');
    dot.className = 'dot'; dot.style.background = kinds[e.kind];
    name.append(dot, e.kind.replace('_', ' ')); cell(row, [e.guard, change(e), 't = ' + format(e.time, 12)].filter(Boolean).join(', '));
  }
  if (near.length > 5) { cell(table.insertRow(), '… ' + (near.length - 5) + ' more'); }
}

// ---- phase plot ----
const phase = { canvas: $('phase'), x: 0, y: 1 };
const rowSliding = [];
for (let c = 0, sliding = false, i = 0; i < time.length; ++i) {
  while (c < data.modeChanges.length && data.modeChanges[c] === i) { sliding = isSliding(data.modes[data.modeChanges[c + 1]]); c += 2; }
  rowSliding.push(sliding);
}
// One path through all points, jumps left out; with `only`, just the parts that slide.
function phasePath(ink, px, py, xs, ys, only) {
  ink.beginPath();
  let last = false;
  for (let i = 0; i < xs.length; ++i) {
    const shown = xs[i] !== null && ys[i] !== null && (!only || rowSliding[i]);
    if (shown && last && !breaks.has(i)) ink.lineTo(px(xs[i]), py(ys[i]));
    else if (shown) ink.moveTo(px(xs[i]), py(ys[i]));
    last = shown;
  }
  ink.stroke();
}
function drawPhase() {
  if ($('phase-card').hidden) return;
  const canvas = phase.canvas, scale = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
  const ink = canvas.getContext('2d'), a = series[phase.x], b = series[phase.y];
  ink.setTransform(scale, 0, 0, scale, 0, 0); ink.clearRect(0, 0, width, height);
  ink.font = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  const rx = pad(extent(a.y), 0.05), ry = pad(extent(b.y), 0.06), top = 8, bottom = height - 40, right = width - 14;
  const across = ticks(rx[0], rx[1], Math.max(2, width / 90)), up = ticks(ry[0], ry[1], Math.max(2, (bottom - top) / 46));
  const left = Math.max(44, ...up.list.map(v => ink.measureText(tickText(v, up.step)).width + 14));
  const px = v => left + (v - rx[0]) / (rx[1] - rx[0]) * (right - left), py = v => bottom - (v - ry[0]) / (ry[1] - ry[0]) * (bottom - top);
  ink.fillStyle = css('--soft'); ink.strokeStyle = css('--grid'); ink.textAlign = 'right'; ink.textBaseline = 'middle';
  for (const v of up.list) { const y = Math.round(py(v)) + 0.5; ink.beginPath(); ink.moveTo(left, y); ink.lineTo(right, y); ink.stroke(); ink.fillText(tickText(v, up.step), left - 7, y); }
  ink.textAlign = 'center'; ink.textBaseline = 'top';
  for (const v of across.list) { const x = Math.round(px(v)) + 0.5; ink.beginPath(); ink.moveTo(x, top); ink.lineTo(x, bottom); ink.stroke(); ink.fillText(tickText(v, across.step), x, bottom + 6); }
  ink.fillText(a.name + (a.unit ? ' (' + a.unit + ')' : ''), (left + right) / 2, bottom + 22);
  ink.strokeStyle = css('--line'); ink.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
  ink.save(); ink.beginPath(); ink.rect(left, top, right - left, bottom - top); ink.clip(); ink.lineJoin = 'round';
  ink.strokeStyle = palette[0]; ink.lineWidth = 1.5; phasePath(ink, px, py, a.y, b.y, false);
  ink.strokeStyle = '#2c9a62'; ink.lineWidth = 4; phasePath(ink, px, py, a.y, b.y, true);
  const start = [0, a.y.length - 1].map(i => [a.y[i], b.y[i]]);
  start.forEach(([x, y], i) => { if (x === null || y === null) return; ink.beginPath(); ink.arc(px(x), py(y), 4, 0, 2 * Math.PI); ink.fillStyle = i ? palette[1] : css('--card'); ink.fill(); ink.strokeStyle = palette[1]; ink.lineWidth = 1.5; ink.stroke(); });
  ink.restore();
  ink.save(); ink.translate(12, (top + bottom) / 2); ink.rotate(-Math.PI / 2); ink.fillStyle = css('--soft'); ink.textAlign = 'center'; ink.textBaseline = 'middle'; ink.fillText(b.name, 0, 0); ink.restore();
}

// ---- table of events ----
const maxListed = 400;       // rows in the table at once
function listEvents() {
  const wanted = $('event-filter').value.toLowerCase(), kind = $('event-kind').value;
  const found = events.filter(e => (!kind || e.kind === kind) && (!wanted || [e.kind, e.from, e.to, e.guard, e.detail].join(' ').toLowerCase().includes(wanted)));
  const body = document.createElement('tbody');
  for (const e of found.slice(0, maxListed)) {
    const row = body.insertRow();
    cell(row, format(e.time, 12)); cell(row, e.segment);
    const name = row.insertCell(), dot = document.createElement('span');
    dot.className = 'dot'; dot.style.background = kinds[e.kind]; name.append(dot, e.kind.replace('_', ' '));
    cell(row, e.guard); cell(row, change(e)); cell(row, e.detail);
    row.addEventListener('click', () => {
      const width = (view.x1 - view.x0) / 8;
      axis = -1; $('axis').value = -1; view = { x0: e.time - width, x1: e.time + width, y: {} }; draw(); $('canvas').focus();
    });
  }
  $('event-table').tBodies[0].replaceWith(body);
  const parts = [count(found.length) + ' of ' + count(totalEvents) + (totalEvents === 1 ? ' event' : ' events')];
  if (found.length > maxListed) parts.push('the first ' + count(maxListed) + ' are listed');
  if (events.length < totalEvents) parts.push('this page holds ' + count(events.length) + ' of them, evenly chosen; events.csv has all');
  $('event-count').textContent = parts.join('; ');
}
function startEvents() {
  $('events-card').hidden = !totalEvents;
  for (const kind of Object.keys(kinds).filter(k => events.some(e => e.kind === k))) $('event-kind').append(new Option(kind.replace('_', ' '), kind));
  $('event-kind').addEventListener('change', listEvents);
  $('event-filter').addEventListener('input', listEvents);
  if (totalEvents) listEvents();
  const smooth = series.map((s, i) => i).filter(i => !series[i].discrete);
  $('phase-card').hidden = smooth.length < 2;
  if (smooth.length < 2) return;
  [phase.x, phase.y] = smooth;
  for (const which of ['x', 'y']) {
    const box = $('phase-' + which);
    box.append(...series.map((s, i) => new Option(s.name, i)));
    box.value = phase[which];
    box.addEventListener('change', () => { phase[which] = Number(box.value); drawPhase(); });
  }
  $('phase-slides').hidden = !rowSliding.includes(true);
  drawPhase();
}
)js";
}

}  // namespace saltus::record
