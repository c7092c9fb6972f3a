// Role: pages as values: h() describes elements, patch() makes a place in the document look so, and
// keeps what is there already, with focus, selection and scroll. Text is only ever a text node.

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'path', 'circle', 'rect', 'g', 'line', 'use', 'title']);

/** An element as a value. Children: values, texts, lists; null, false and true are nothing. */
export function h(tag, props, ...children) {
  const kids = children.flat(Infinity).filter((k) => k !== null && k !== undefined && typeof k !== 'boolean');
  const made = {tag, props: props || {}, kids: kids.map((k) => (typeof k === 'object' ? k : {text: String(k)}))};
  if (tag === 'table') labelCells(made);
  return made;
}

const ROLES = {table: 'table', thead: 'rowgroup', tbody: 'rowgroup', tr: 'row', th: 'columnheader', td: 'cell'};
const textOf = (kid) => kid.text ?? kid.kids.map(textOf).join('');

// On narrow screens a row is a card, whose cells say what they are; and a table it stays.
function labelCells(table) {
  const heads = [];
  const walk = (kid, column) => {
    if (!ROLES[kid.tag]) return;
    kid.props = {role: ROLES[kid.tag], ...kid.props};
    if (kid.tag === 'th' && kid.props.scope !== 'row') heads[column] = textOf(kid);
    if (kid.tag === 'td') kid.props['data-label'] = heads[column] ?? '';
    kid.kids.forEach(walk);
  };
  walk(table, 0);
}

const MARKS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Outside text: what would not be seen, or turn the line around, becomes a visible mark; cut. */
export function clean(text, most = 200) {
  const shown = String(text ?? '').replace(MARKS, (c) => '‹' + c.codePointAt(0).toString(16) + '›');
  return shown.length > most ? shown.slice(0, most) + '…' : shown;
}

/** Has the browser save a text as a file. */
export function saveAs(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Outside text in its own direction. */
export const outside = (text, most) => h('bdi', null, clean(text, most));

function setProp(node, name, value, before) {
  if (name === 'key') return;
  if (name.startsWith('on')) node[name.toLowerCase()] = value || null;
  else if (name === 'style') setStyle(node, value || {}, before || {});
  else if (name === 'value' || name === 'checked' || name === 'disabled') {
    if (node[name] !== value) node[name] = value;
  } else if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? '' : value);
}

function setStyle(node, value, before) {
  for (const name of Object.keys(before)) if (!(name in value)) node.style.removeProperty(name);
  for (const [name, text] of Object.entries(value)) if (before[name] !== text) node.style.setProperty(name, text);
}

function setProps(node, props) {
  const before = node.wmProps || {};
  for (const name of Object.keys(before)) if (!(name in props)) setProp(node, name, undefined, before[name]);
  for (const [name, value] of Object.entries(props)) {
    if (before[name] !== value || name === 'value' || name === 'checked') setProp(node, name, value, before[name]);
  }
  node.wmProps = props;
}

function make(kid) {
  if (kid.text !== undefined) return document.createTextNode(kid.text);
  const node = SVG_TAGS.has(kid.tag) ? document.createElementNS(SVG, kid.tag) : document.createElement(kid.tag);
  node.wmTag = kid.tag;
  node.wmKey = kid.props.key;
  return node;
}

const fits = (node, kid) => kid.text !== undefined ? node.nodeType === 3
  : node.wmTag === kid.tag && node.wmKey === kid.props.key;

function update(node, kid) {
  if (kid.text !== undefined) {
    if (node.data !== kid.text) node.data = kid.text;
    return;
  }
  patch(node, kid.kids);
  setProps(node, kid.props);  // after the children: a select's value needs its options
}

/** Makes the children of `parent` what `kids` describe. */
export function patch(parent, kids) {
  const keyed = new Map();
  for (const node of parent.childNodes) if (node.wmKey !== undefined) keyed.set(node.wmKey, node);
  let at = parent.firstChild;
  for (const kid of kids) {
    let node = kid.props?.key !== undefined ? keyed.get(kid.props.key) : at;
    if (node && !fits(node, kid)) node = null;
    if (node === at && node) at = at.nextSibling;
    else {
      node = node || make(kid);
      parent.insertBefore(node, at);
    }
    update(node, kid);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

const ICONS = {
  run: [['circle', {cx: 6, cy: 6, r: 4, fill: 'currentColor', stroke: 'none'}], ['circle', {cx: 6, cy: 6, r: 5.4, 'stroke-width': 1}]],
  half: [['circle', {cx: 6, cy: 6, r: 4.6}], ['path', {d: 'M6 1.4a4.6 4.6 0 0 1 0 9.2z', fill: 'currentColor', stroke: 'none'}]],
  wait: [['circle', {cx: 6, cy: 6, r: 4.6, 'stroke-dasharray': '2 1.7'}]],
  ok: [['path', {d: 'M2 6.5 4.8 9.2 10 3.2'}]],
  bad: [['path', {d: 'M2.6 2.6l6.8 6.8M9.4 2.6 2.6 9.4'}]],
  stop: [['rect', {x: 2.5, y: 2.5, width: 7, height: 7, rx: 1}]],
  hold: [['path', {d: 'M4 2.5v7M8 2.5v7'}]],
  what: [['path', {d: 'M4 4.4a2 2 0 1 1 2.6 2c-.5.2-.6.5-.6 1.1M6 9.6v.1'}]],
  plus: [['path', {d: 'M6 2v8M2 6h8'}]],
};

/** A drawing of 12 by 12. */
export const icon = (name) => h('svg', {class: 'i', viewBox: '0 0 12 12', 'aria-hidden': 'true'},
  ICONS[name].map(([tag, props]) => h(tag, props)));

export const logo = () => h('svg', {viewBox: '0 0 20 20', 'aria-hidden': 'true', fill: 'none', stroke: 'currentColor'},
  h('path', {d: 'M2 4v12h4V8h4v8h4V4h4v12', 'stroke-width': 2}));
