/** Finds text for people that no call translates: in elements, in their attributes, and in constants that look like text. */

import { constantText, FUNCTIONS, functionOf, type Node, walk } from './messages.ts';

export interface FoundText {
  readonly start: number;
  readonly text: string;
}

/** Attributes and fields whose text people read, whatever it looks like. */
const READ =
  /^(?:title|label|placeholder|hint|what|alt|about|text|aria-label|aria-description|aria-roledescription)$/;
/** Attributes that are never read. */
const UNREAD =
  /^(?:class|d|viewBox|href|src|type|autocomplete|autocapitalize|enterkeyhint|inputMode|pattern|points|transform|sandbox|allow|rel|aria-keyshortcuts|aria-describedby|aria-labelledby|points|fill|stroke)$/;
/** Two words, or one with a capital letter: identifiers, class names, and paths have neither. */
const LOOKS_LIKE_TEXT =
  /[a-z’)]+[,.:;]? [A-Za-z{(]|[A-Z]{2,} [a-z]{3,}|\} (?!min\b|kbit|ppm)[a-z]{3,}|^[A-Z][a-z’]+(?:…|[.:?!])?$/;
const HAS_LETTERS = /\p{L}{2}/u;
/** Names of the product and of standards, keys of keyboards, and headers of HTTP: equal in each language. */
const NAMES =
  /^(?:Sluice|[a-z]+:\/\/.*|(?:Android|Macintosh|Mac|Windows|Linux|Edge|Opera|Samsung Internet|Firefox|Chrome|Chrome OS|Safari|Chromebook)|[A-Z][a-z]+(?:-[A-Z][a-zA-Z]+)+|Arrow(?:Up|Down|Left|Right)|Page(?:Up|Down)(?: PageDown)?|curl .*|Escape|Enter|Tab|Home|End|Delete|Backspace|Space|Control|Shift|Alt|Meta|[A-Z]{2,}[A-Z\d._ ]*|npm start|sluice console-link|px|[\d.]+ ?%)$/;
/** Methods of lists and of texts that are not shown. */
const LISTING = /^(?:split|includes|test|startsWith|endsWith|indexOf)$/;
/** Selectors, markup, lines of configuration, and comments in them. */
const CODE = /\n|="|^#|^[a-z]+\(/;
/** Functions whose text people do not read. */
const UNREAD_CALLS =
  /^(?:querySelector(?:All)?|closest|matches|matchMedia|Error|TypeError|RangeError|DateTimeFormat|getElementById|addEventListener|startsWith|endsWith|timeFormat|dayTimeFormat|createElement(?:NS)?|RegExp)$/;

/** `classes`: names of style sheets, which are also in lists with spaces. Pure. */
export function untranslatedTexts(program: Node, classes: ReadonlySet<string>): readonly FoundText[] {
  const found: FoundText[] = [];
  walk(program, (node, parents) => {
    if (isSkipped(node)) return false;
    const text = textOf(node);
    if (text === null) return true;
    if (isTranslated(node, parents) || isUnread(node, parents)) return true;
    const shown = text.replaceAll(/\s+/g, ' ').trim();
    const isShown = isRead(node, parents);
    const counts = isShown ? HAS_LETTERS.test(shown) : LOOKS_LIKE_TEXT.test(shown);
    const isCode =
      !isShown && (CODE.test(text) || shown.split(' ').every((word) => word === '{}' || classes.has(word)));
    const words = shown
      .replaceAll('{}', ' ')
      .replaceAll(/[·:,()]/g, ' ')
      .trim();
    if (counts && !isCode && !NAMES.test(words)) found.push({ start: node.start, text: shown });
    return true;
  });
  return found;
}

/** Types, imports, and attributes that no one reads. */
function isSkipped(node: Node): boolean {
  if (/^(?:TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll)/.test(node.type))
    return true;
  return node.type === 'JSXAttribute' && UNREAD.test(nameOf(node.name as Node));
}

/** Null: no text. */
function textOf(node: Node): string | null {
  if (node.type === 'JSXText') return node.value as string;
  if (node.type !== 'TemplateLiteral') return constantText(node);
  return (node.quasis as Node[]).map((part) => (part.value as { cooked: string }).cooked).join('{}');
}

/** Whether it is the message, or its context, of a call that translates. */
function isTranslated(node: Node, parents: readonly Node[]): boolean {
  const call = parents.at(-1);
  const name = call === undefined ? null : functionOf(call);
  return name !== null && (call!.arguments as Node[]).indexOf(node) <= FUNCTIONS[name]!;
}

function isUnread(node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1);
  if (parent === undefined) return false;
  if (parent.type === 'Property' && parent.key === node) return true;
  if (parent.type === 'SwitchCase') return true;
  // Other methods of a text, such as `trim`, return what is shown.
  if (parent.type === 'MemberExpression' && LISTING.test(nameOf(parent))) return true;
  if (parent.type === 'BinaryExpression' && parent.operator !== '+') return true;
  if (parent.type === 'ExpressionStatement') return true;
  if (parents.some(({ type }) => type === 'ThrowStatement' || type === 'TaggedTemplateExpression'))
    return true;
  // Words of a list.
  if (parents.some((at) => at.type === 'MemberExpression' && LISTING.test(nameOf(at)))) return true;
  if (parent.type !== 'CallExpression' && parent.type !== 'NewExpression') return false;
  return UNREAD_CALLS.test(nameOf(parent.callee as Node));
}

/** Whether it is shown wherever it is: a text or an attribute of an element, also one of two. */
function isRead(node: Node, parents: readonly Node[]): boolean {
  if (node.type === 'JSXText') return true;
  for (let at = parents.length - 1; at >= 0; at--) {
    const parent = parents[at]!;
    switch (parent.type) {
      case 'ConditionalExpression':
      case 'LogicalExpression':
        if (parent.test === (parents[at + 1] ?? node)) return false;
        break;
      case 'JSXExpressionContainer':
        if (/^JSX(?:Element|Fragment)$/.test(parents[at - 1]?.type ?? '')) return true;
        break;
      case 'JSXAttribute':
        return READ.test(nameOf(parent.name as Node));
      case 'Property':
        return READ.test(nameOf(parent.key as Node));
      case 'AssignmentExpression':
        return /^(?:textContent|title|ariaLabel|placeholder|innerText)$/.test(nameOf(parent.left as Node));
      default:
        return false;
    }
  }
  return false;
}

/** Of an identifier, or the last of a member. */
function nameOf(node: Node): string {
  if (node.type === 'MemberExpression') return nameOf(node.property as Node);
  if (node.type === 'JSXNamespacedName') return '';
  return typeof node.name === 'string' ? node.name : (constantText(node) ?? '');
}
