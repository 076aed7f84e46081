#include "record/report_page.hpp"

namespace saltus::record {

std::string_view report_script() {
  return R"js(
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const summary = data.summary, series = data.series, time = data.time;
const $ = id => document.getElementById(id);

// ---- colours: distinct on white and on dark ----
const palette = ['#3b6fd8', '#d9622b', '#2c9a62', '#b34bb0', '#c79a10', '#17a0b5', '#d8476b', '#7a62d4', '#7d9a2c', '#8a8f98'];
series.forEach((s, i) => { s.color = palette[i % palette.length]; s.shown = i < 8; });
const breaks = new Set(data.breaks);   // rows that begin another segment at the time of the row before
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// ---- numbers ----
const count = n => n.toLocaleString('en').replace(/,/g, '\u202f');
function format(v, digits = 7) {
  if (v === null || v === undefined) return '–';
  if (v === 0) return '0';
  const a = Math.abs(v);
  const text = a >= 1e6 || a < 1e-4 ? v.toExponential(digits - 1) : v.toPrecision(digits);
  return text.replace(/(\.\d*?)0+($|e)/, '$1$2').replace(/\.($|e)/, '$1').replace('e+', 'e').replace('-', '−').replace('e-', 'e−');
}
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0) || !isFinite(raw)) return { list: [low], step: 1 };
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = power * [1, 2, 5, 10].find(f => f * power >= raw * 0.999);
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && list.length < 100; ++k) list.push(k * step);
  return { list, step };
}
function tickText(v, step) {
  if (Math.abs(v) < step * 1e-6) return '0';
  const a = Math.abs(v);
  if (a >= 1e5 || a < 1e-3) return format(Number(v.toPrecision(12)), Math.min(12, Math.max(2, Math.ceil(Math.log10(a / step)) + 2)));
  return v.toFixed(Math.max(0, Math.min(10, -Math.floor(Math.log10(step) + 1e-9)))).replace('-', '−');
}

// ---- state of the view ----
let axis = -1;               // -1: time, else index of a series
let view = null;             // {x0, x1, y: {panel key: [low, high]}}
let stacked = false, drag = null, cursor = null;
const xs = () => axis < 0 ? time : series[axis].y;

function extent(list, from = 0, to = list.length) {
  let low = Infinity, high = -Infinity;
  for (let i = from; i < to; ++i) {
    const v = list[i];
    if (v === null) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : [0, 1];
}
function pad([low, high], part) {
  const width = high - low || Math.abs(high) * 0.1 || 1;
  return [low - width * part, high + width * part];
}
function resetView() {
  const x = axis < 0 ? extent(time) : pad(extent(xs()), 0.04);
  view = { x0: x[0], x1: x[1] > x[0] ? x[1] : x[0] + 1, y: {} };
  draw();
}
const forward = time.length < 2 || time[time.length - 1] >= time[0];
function visibleRange() {
  if (axis >= 0) return [0, time.length];
  let from = 0, to = time.length;
  const before = i => forward ? time[i] < view.x0 : time[i] > view.x1;
  const after = i => forward ? time[i] > view.x1 : time[i] < view.x0;
  while (from < to - 1 && before(from + 1)) ++from;
  while (to > from + 1 && after(to - 2)) --to;
  return [from, to];
}
function autoY(list) {
  const [from, to] = visibleRange();
  let low = Infinity, high = -Infinity;
  for (const s of list) {
    const a = extent(s.low || s.y, from, to), b = extent(s.high || s.y, from, to);
    low = Math.min(low, a[0]); high = Math.max(high, b[1]);
  }
  return pad(low <= high ? [low, high] : [0, 1], 0.06);
}
const maxPanels = 12;        // more would be too low to read
function panels() {
  const shown = series.filter(s => s.shown);
  return stacked && shown.length > 1 ? shown.slice(0, maxPanels).map(s => ({ key: s.name, list: [s] })) : [{ key: '', list: shown }];
}

// ---- drawing ----
const canvas = $('canvas'), pen = canvas.getContext('2d');
let layout = [];
function draw() {
  const scale = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
  }
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  const list = panels(), bottom = 40, gap = 14, top = 8 + stripHeight();
  const each = (height - bottom - top - gap * (list.length - 1)) / list.length;
  list.forEach(p => { p.range = view.y[p.key] || autoY(p.list); p.ticks = ticks(p.range[0], p.range[1], Math.max(2, each / 46)); });
  const labels = list.map(p => Math.max(0, ...p.ticks.list.map(v => pen.measureText(tickText(v, p.ticks.step)).width)));
  const left = Math.max(44, Math.max(...labels) + 14), right = 14;
  layout = list.map((p, i) => ({ ...p, left, top: top + i * (each + gap), width: width - left - right, height: each }));
  layout.forEach((p, i) => drawPanel(p, i === layout.length - 1));
  drawStrip(layout[0], layout[layout.length - 1]);
  if (drag && drag.box) drawBox();
  drawCursor();
}
const toX = (p, x) => p.left + (x - view.x0) / (view.x1 - view.x0) * p.width;
const toY = (p, y) => p.top + p.height - (y - p.range[0]) / (p.range[1] - p.range[0]) * p.height;
const fromX = (p, px) => view.x0 + (px - p.left) / p.width * (view.x1 - view.x0);
const fromY = (p, py) => p.range[0] + (p.top + p.height - py) / p.height * (p.range[1] - p.range[0]);

function drawPanel(p, last) {
  const soft = css('--soft'), grid = css('--grid'), line = css('--line');
  pen.lineWidth = 1; pen.fillStyle = soft;
  pen.textAlign = 'right'; pen.textBaseline = 'middle';
  for (const v of p.ticks.list) {
    const y = Math.round(toY(p, v)) + 0.5;
    pen.strokeStyle = grid; pen.beginPath(); pen.moveTo(p.left, y); pen.lineTo(p.left + p.width, y); pen.stroke();
    pen.fillText(tickText(v, p.ticks.step), p.left - 7, y);
  }
  const across = ticks(view.x0, view.x1, Math.max(2, p.width / 90));
  pen.textAlign = 'center'; pen.textBaseline = 'top';
  for (const v of across.list) {
    const x = Math.round(toX(p, v)) + 0.5;
    pen.strokeStyle = grid; pen.beginPath(); pen.moveTo(x, p.top); pen.lineTo(x, p.top + p.height); pen.stroke();
    if (last) pen.fillText(tickText(v, across.step), x, p.top + p.height + 6);
  }
  if (last) {
    const s = axis < 0 ? { name: 'time', unit: '' } : series[axis];
    pen.fillText(s.name + (s.unit ? ' (' + s.unit + ')' : ''), p.left + p.width / 2, p.top + p.height + 22);
  }
  pen.strokeStyle = line; pen.strokeRect(p.left + 0.5, p.top + 0.5, p.width - 1, p.height - 1);
  pen.save(); pen.beginPath(); pen.rect(p.left, p.top, p.width, p.height); pen.clip();
  for (const s of p.list) drawSeries(p, s);
  pen.restore();
  if (p.key) {
    pen.textAlign = 'left'; pen.textBaseline = 'top'; pen.fillStyle = p.list[0].color;
    pen.fillText(p.list[0].name + (p.list[0].unit ? ' (' + p.list[0].unit + ')' : ''), p.left + 8, p.top + 6);
  }
  if (!p.list.length) {
    pen.textAlign = 'center'; pen.textBaseline = 'middle'; pen.fillStyle = soft;
    pen.fillText('choose a variable', p.left + p.width / 2, p.top + p.height / 2);
  }
}
function drawSeries(p, s) {
  const [from, to] = visibleRange(), x = xs();
  // Thinned data: the band between the smallest and the largest value of each bucket, so that no peak is lost.
  if (axis < 0 && s.low) {
    pen.globalAlpha = 0.35; pen.fillStyle = s.color; pen.beginPath();
    for (let i = from; i < to; ++i) if (s.high[i] !== null) pen.lineTo(toX(p, x[i]), toY(p, s.high[i]) - 0.5);
    for (let i = to - 1; i >= from; --i) if (s.low[i] !== null) pen.lineTo(toX(p, x[i]), toY(p, s.low[i]) + 0.5);
    pen.fill(); pen.globalAlpha = 1;
  }
  pen.strokeStyle = s.color; pen.lineWidth = 1.6; pen.lineJoin = 'round'; pen.beginPath();
  const jumps = [];
  let last = null;
  for (let i = from; i < to; ++i) {
    if (s.y[i] === null || x[i] === null) { last = null; continue; }
    const px = toX(p, x[i]), py = toY(p, s.y[i]);
    if (!last) pen.moveTo(px, py);
    else if (axis < 0 && s.discrete) { pen.lineTo(px, last[1]); pen.lineTo(px, py); }
    else if (!breaks.has(i)) pen.lineTo(px, py);
    else { pen.moveTo(px, py); if (Math.hypot(px - last[0], py - last[1]) > 1) jumps.push(last, [px, py]); }
    last = [px, py];
  }
  pen.stroke();
  // A jump takes no time: nothing lies between, the dots only lead the eye.
  pen.globalAlpha = 0.5; pen.lineWidth = 1; pen.setLineDash([1, 4]); pen.beginPath();
  for (let i = 0; i < jumps.length; i += 2) { pen.moveTo(...jumps[i]); pen.lineTo(...jumps[i + 1]); }
  pen.stroke(); pen.setLineDash([]); pen.globalAlpha = 1;
}
function drawBox() {
  pen.fillStyle = css('--accent'); pen.globalAlpha = 0.14;
  pen.fillRect(drag.x, drag.y, drag.toX - drag.x, drag.toY - drag.y);
  pen.globalAlpha = 1; pen.strokeStyle = css('--accent'); pen.lineWidth = 1;
  pen.strokeRect(drag.x + 0.5, drag.y + 0.5, drag.toX - drag.x, drag.toY - drag.y);
}

// ---- values under the pointer ----
function nearest(p) {
  const x = xs();
  let best = -1, distance = Infinity;
  for (let i = 0; i < x.length; ++i) {
    if (x[i] === null) continue;
    let d = Math.abs(toX(p, x[i]) - cursor.x);
    if (axis >= 0) {
      const s = p.list.find(q => q.y[i] !== null);
      if (!s) continue;
      d = Math.min(...p.list.map(q => q.y[i] === null ? Infinity : Math.hypot(d, toY(p, q.y[i]) - cursor.y)));
    }
    if (d < distance) { distance = d; best = i; }
  }
  return best;
}
function drawCursor() {
  const tip = $('tip');
  const p = cursor && !(drag && drag.moved) ? layout.find(q => cursor.y >= q.top && cursor.y <= q.top + q.height && cursor.x >= q.left && cursor.x <= q.left + q.width) : null;
  const at = p && p.list.length ? nearest(p) : -1;
  if (at < 0) { tip.style.display = 'none'; return; }
  const px = toX(p, xs()[at]);
  pen.strokeStyle = css('--soft'); pen.lineWidth = 1; pen.setLineDash([4, 4]);
  layout.forEach(q => { pen.beginPath(); pen.moveTo(Math.round(px) + 0.5, q.top); pen.lineTo(Math.round(px) + 0.5, q.top + q.height); pen.stroke(); });
  pen.setLineDash([]);
  for (const q of layout) for (const s of q.list) {
    if (s.y[at] === null) continue;
    const py = toY(q, s.y[at]);
    if (py < q.top || py > q.top + q.height) continue;
    pen.beginPath(); pen.arc(px, py, 3.5, 0, 2 * Math.PI); pen.fillStyle = s.color; pen.fill();
    pen.strokeStyle = css('--card'); pen.lineWidth = 1.5; pen.stroke();
  }
  showTip(tip, at, px);
}
function cell(row, text) { const td = row.insertCell(); td.textContent = text; return td; }
function showTip(tip, at, px) {
  const table = document.createElement('table');
  const head = table.insertRow();
  cell(head, 'time'); cell(head, format(time[at], 9));
  for (const s of series.filter(q => q.shown).slice(0, 16)) {
    const row = table.insertRow(), name = row.insertCell(), dot = document.createElement('span');
    dot.className = 'dot'; dot.style.background = s.color;
    name.append(dot, s.name); cell(row, format(s.y[at]) + (s.unit ? ' ' + s.unit : ''));
  }
  tipEvents(table);
  tip.replaceChildren(table);
  tip.style.display = 'block';
  const width = tip.offsetWidth, limit = canvas.clientWidth;
  tip.style.left = (px + 16 + width > limit ? Math.max(0, px - 16 - width) : px + 16) + 'px';
  tip.style.top = Math.max(0, Math.min(cursor.y - 20, canvas.clientHeight - tip.offsetHeight)) + 'px';
}
)js"
         R"js(
// ---- zoom and pan ----
const panelAt = y => layout.find(p => y <= p.top + p.height + 7) || layout[layout.length - 1];
function zoomX(p, px, factor) {
  const x = fromX(p, px), width = (view.x1 - view.x0) * factor;
  if (width < Math.abs(x) * 1e-12 || width < 1e-300) return;
  const x0 = x - (x - view.x0) * factor;
  view.x0 = x0; view.x1 = x0 + width;
}
function zoomY(p, py, factor) {
  const y = fromY(p, py);
  if ((p.range[1] - p.range[0]) * factor < Math.abs(y) * 1e-12) return;
  view.y[p.key] = [y + (p.range[0] - y) * factor, y + (p.range[1] - y) * factor];
}
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const p = panelAt(event.offsetY), factor = Math.exp(Math.max(-1, Math.min(1, (event.deltaY || event.deltaX) * 0.0016)));
  if (event.shiftKey) zoomY(p, event.offsetY, factor);
  else { zoomX(p, event.offsetX, factor); if (axis >= 0) zoomY(p, event.offsetY, factor); }
  draw();
}, { passive: false });
canvas.addEventListener('pointerdown', event => {
  const p = panelAt(event.offsetY);
  canvas.setPointerCapture(event.pointerId);
  drag = { x: event.offsetX, y: event.offsetY, toX: event.offsetX, toY: event.offsetY, p, box: event.shiftKey, moved: false,
           x0: view.x0, x1: view.x1, range: p.range.slice() };
});
canvas.addEventListener('pointermove', event => {
  cursor = { x: event.offsetX, y: event.offsetY };
  if (drag) {
    drag.toX = event.offsetX; drag.toY = event.offsetY;
    drag.moved = drag.moved || Math.hypot(drag.toX - drag.x, drag.toY - drag.y) > 3;
    if (drag.moved && !drag.box) {
      const dx = (drag.toX - drag.x) / drag.p.width * (drag.x1 - drag.x0);
      const dy = (drag.toY - drag.y) / drag.p.height * (drag.range[1] - drag.range[0]);
      view.x0 = drag.x0 - dx; view.x1 = drag.x1 - dx;
      // Moving along time keeps the values fitted; a clear vertical move, or a view that was chosen by hand, does not.
      if (view.y[drag.p.key] || axis >= 0 || Math.abs(drag.toY - drag.y) > 30)
        view.y[drag.p.key] = [drag.range[0] + dy, drag.range[1] + dy];
    }
  }
  draw();
});
canvas.addEventListener('pointerup', () => {
  if (drag && drag.box && Math.abs(drag.toX - drag.x) > 4 && Math.abs(drag.toY - drag.y) > 4) {
    const p = drag.p, x = [fromX(p, drag.x), fromX(p, drag.toX)].sort((a, b) => a - b);
    const y = [fromY(p, drag.y), fromY(p, drag.toY)].sort((a, b) => a - b);
    view.x0 = x[0]; view.x1 = x[1]; view.y[p.key] = y;
  }
  drag = null; draw();
});
canvas.addEventListener('pointercancel', () => { drag = null; draw(); });
canvas.addEventListener('pointerleave', () => { cursor = null; draw(); });
canvas.addEventListener('dblclick', resetView);
canvas.addEventListener('keydown', event => {
  const p = layout[0], middle = p.left + p.width / 2, shift = (view.x1 - view.x0) * 0.1;
  if (event.key === '+' || event.key === '=') zoomX(p, middle, 0.8);
  else if (event.key === '-') zoomX(p, middle, 1.25);
  else if (event.key === 'ArrowLeft') { view.x0 -= shift; view.x1 -= shift; }
  else if (event.key === 'ArrowRight') { view.x0 += shift; view.x1 += shift; }
  else if (event.key === '0' || event.key === 'Home') { resetView(); return; }
  else return;
  event.preventDefault(); draw();
});

// ---- legend and tools ----
function legend() {
  const wanted = $('filter').value.toLowerCase();
  $('legend').replaceChildren(...series.filter(s => s.name.toLowerCase().includes(wanted)).map(s => {
    const label = document.createElement('label'), box = document.createElement('input'), dot = document.createElement('span');
    const name = document.createElement('span'), unit = document.createElement('span');
    box.type = 'checkbox'; box.checked = s.shown;
    box.addEventListener('change', () => { s.shown = box.checked; draw(); });
    dot.className = 'dot'; dot.style.background = s.color;
    name.className = 'name'; name.textContent = s.name; unit.className = 'unit'; unit.textContent = s.unit;
    label.title = s.name + (s.text ? ': ' + s.text : '');
    label.append(box, dot, name, unit);
    return label;
  }));
  if (data.omitted) {
    const more = document.createElement('p');
    more.className = 'unit'; more.textContent = count(data.omitted) + ' more are in trajectory.csv only';
    $('legend').append(more);
  }
}
function showAll(shown) {
  const wanted = $('filter').value.toLowerCase();
  series.forEach(s => { if (s.name.toLowerCase().includes(wanted)) s.shown = shown; });
  legend(); draw();
}
$('filter').addEventListener('input', legend);
$('all').addEventListener('click', () => showAll(true));
$('none').addEventListener('click', () => showAll(false));
$('reset').addEventListener('click', resetView);
$('stack').addEventListener('click', () => { stacked = !stacked; $('stack').setAttribute('aria-pressed', stacked); view.y = {}; draw(); });
$('axis').append(new Option('time', -1), ...series.map((s, i) => new Option(s.name, i)));
$('axis').addEventListener('change', () => { axis = Number($('axis').value); resetView(); });
)js";
}

}  // namespace saltus::record
