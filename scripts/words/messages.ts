/**
 * Reads what the pages say (web/): messages, which have translations, and text that goes around them. With the bundler's
 * parser: that of TypeScript 7 is a process of its own, which unit tests do not start.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { untranslatedTexts } from './untranslated.ts';

/** A node of an ESTree. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export interface Message {
  readonly file: string;
  readonly line: number;
  /** Its key in catalogs: with the context, if there is one. */
  readonly key: string;
  readonly text: string;
  /** Names of the values that the call gives; null: the call gives no list of names. */
  readonly values: readonly string[] | null;
}

export interface PageText {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface PageWords {
  readonly messages: readonly Message[];
  /** Calls whose message is not a constant, so no one can translate it. */
  readonly computed: readonly PageText[];
  /** Texts for people that no call translates. */
  readonly untranslated: readonly PageText[];
}

/** The index of the message in the arguments of each function. */
export const FUNCTIONS: Readonly<Record<string, number>> = { t: 0, tRich: 0, tIn: 1 };

const CONTEXT_MARK = '|';
/** The console stores its words in each language; until then, it has English ones of its own. */
const SERVICE_WORKER = 'web/console/service-worker.ts';
const SCRIPTS = 'web/**/*.{ts,tsx}';
const EXCLUDED = [
  '**/*.test.ts',
  '**/*-fixture.ts',
  '**/*.d.ts',
  'web/words/*.ts',
  'web/console/words.ts',
  SERVICE_WORKER,
];
/** Text between tags, and attributes that people read. */
const HTML_TEXT = />\s*([^<>{}]*\p{L}{2}[^<>{}]*?)\s*<|(?:aria-label|title|placeholder|alt)="([^"]+)"/gu;
/** Neither shown nor translated: scripts and styles have no texts, and without scripts the page stays English. */
const HTML_REST = /<(script|style|noscript)\b[\s\S]*?<\/\1>/g;

/** `root`: of the repository. Files in the order of their names. */
export function readPageWords(root: string): PageWords {
  const [messages, computed, untranslated]: [Message[], PageText[], PageText[]] = [[], [], []];
  const classes = classesOf(root);
  for (const file of globSync(SCRIPTS, { cwd: root, exclude: EXCLUDED }).sort()) {
    const source = readFileSync(join(root, file), 'utf8');
    const at = (start: number) => ({ file, line: lineOf(source, start) });
    const program = parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
    walk(program, (node) => {
      const call = callOf(node);
      if (call === null) return;
      const where = at(node.start);
      if (call.text === null || call.context === null) computed.push({ ...where, text: call.name });
      else {
        const key = call.context === '' ? call.text : `${call.context}${CONTEXT_MARK}${call.text}`;
        messages.push({ ...where, key, text: call.text, values: call.values });
      }
    });
    for (const { start, text } of untranslatedTexts(program, classes))
      untranslated.push({ ...at(start), text });
  }
  for (const file of globSync('web/*.html', { cwd: root }).sort()) messages.push(...htmlMessages(root, file));
  return { messages, computed, untranslated };
}

/** Calls `visit` with each node, parents first. If it returns false, not with those within the node. */
export function walk(node: Node, visit: (node: Node, parents: readonly Node[]) => unknown): void {
  const parents: Node[] = [];
  const enter = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) enter(item);
    else if (isNode(value)) {
      if (visit(value, parents) === false) return;
      parents.push(value);
      for (const field of Object.values(value)) if (typeof field === 'object') enter(field);
      parents.pop();
    }
  };
  enter(node);
}

/** A string, or a template without expressions; null: something else. */
export function constantText(node: Node | undefined): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral' || (node.expressions as Node[]).length > 0) return null;
  return ((node.quasis as Node[])[0]!.value as { cooked: string }).cooked;
}

/** The name of the function that a call translates with; null: the node is no such call. */
export function functionOf(node: Node): string | null {
  const callee = node.type === 'CallExpression' ? (node.callee as Node) : null;
  const name = callee?.type === 'Identifier' ? (callee.name as string) : '';
  return Object.hasOwn(FUNCTIONS, name) ? name : null;
}

/** `context`: '' without one. Null: not a constant. */
function callOf(node: Node) {
  const name = functionOf(node);
  if (name === null) return null;
  const given = node.arguments as Node[];
  const index = FUNCTIONS[name]!;
  const context = index === 0 ? '' : constantText(given[0]);
  return { name, context, text: constantText(given[index]), values: namesOf(given[index + 1]) };
}

/** Of an object's fields; none without an object. */
function namesOf(values: Node | undefined): readonly string[] | null {
  if (values === undefined) return [];
  if (values.type !== 'ObjectExpression') return null;
  const fields = values.properties as Node[];
  if (fields.some(({ type }) => type !== 'Property')) return null;
  return fields.map((field) => (field.key as Node).name as string);
}

/** Of all style sheets. */
function classesOf(root: string): ReadonlySet<string> {
  const sheets = globSync('web/**/*.css', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  return new Set(sheets.flatMap((sheet) => [...sheet.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!)));
}

function htmlMessages(root: string, file: string): Message[] {
  const html = readFileSync(join(root, file), 'utf8').replaceAll(HTML_REST, (rest) =>
    rest.replaceAll(/[^\n]/g, ' '),
  );
  return [...html.matchAll(HTML_TEXT)].map(({ 1: element, 2: attribute, index }) => {
    const text = (element ?? attribute)!;
    return { file, line: lineOf(html, index), key: text, text, values: [] };
  });
}

function lineOf(source: string, start: number): number {
  return source.slice(0, start).split('\n').length;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}
