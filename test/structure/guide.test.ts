/** The guide quotes log messages, metrics, configuration keys, variables and error codes: the code has each of them. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_DOMAINS } from '../../scripts/reference/error-reference.ts';
import { renderConfigReference } from '../../src/app/config/render-reference.ts';
import { renderMetricsReference } from '../../src/app/metrics/metrics.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const GUIDE = ['README.md', ...globSync('docs/guide/*.md', { cwd: ROOT })].map(read).join('\n');
/** Pages that name error codes; others name events and entities of the API in capitals. */
const OPERATORS = ['running', 'cameras', 'troubleshooting', 'getting-started']
  .map((name) => read(`docs/guide/${name}.md`))
  .join('\n');
const SOURCES = globSync('{src,web,scripts}/**/*.{ts,mjs}', { cwd: ROOT })
  .filter((file) => !/\.test\.ts$|-fixture\.ts$|-contract\.ts$/.test(file))
  .map(read);
const CODES = ERROR_DOMAINS.flatMap(({ registry }) => Object.keys(registry));

/** Code spans of a text, without what leads on: `CONFIG_…` is the start of several. */
function spansOf(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
}

/** First cells of the tables whose first heading is about messages. */
function messageCells(markdown: string): string[] {
  const cells: string[] = [];
  let isAboutMessages = false;
  let isInTable = false;
  for (const line of markdown.split('\n')) {
    const cell = /^\| *([^|]*?) *\|/.exec(line)?.[1];
    if (cell === undefined) isInTable = false;
    else if (!isInTable) {
      isInTable = true;
      isAboutMessages = /\b(message|log line)\b/i.test(cell);
    } else if (isAboutMessages && !/^-+$/.test(cell)) cells.push(cell);
  }
  return cells;
}

/** What is written to the log: the last argument of a call, or the value of a table of messages. */
function loggedTexts(): { readonly whole: ReadonlySet<string>; readonly starts: readonly string[] } {
  const literal = /(?:,\s*|\(\s*|[\w']: )(?:'((?:[^'\\\n]|\\.)+)'|`([^`]+)`)\s*[,)]/g;
  const texts = SOURCES.flatMap((text) =>
    [...text.matchAll(literal)].map(([, plain, filled]) => plain ?? filled!),
  );
  return { whole: new Set(texts), starts: texts };
}

const isCode = (span: string) => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_…?$|^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(span);

function isKnownCode(span: string): boolean {
  return span.endsWith('_…')
    ? CODES.some((code) => code.startsWith(span.slice(0, -1)))
    : CODES.includes(span);
}

describe('log messages that the guide explains', () => {
  const { whole, starts } = loggedTexts();
  const isLogged = (message: string) =>
    message.endsWith('…')
      ? starts.some((text) => text.startsWith(message.slice(0, -1).trimEnd()))
      : whole.has(message);
  const cells = messageCells(GUIDE);

  it('are in the code, each word of them', () => {
    const messages = cells
      .map((cell) => spansOf(cell).filter((span) => !isCode(span)))
      .filter(({ length }) => length > 0);
    expect(messages.flat().length).toBeGreaterThan(30);
    const unknown = messages.flatMap(([first, ...others]) => {
      // After its message, a row may name the ways in which that ends: `camera audio live`, `silent`.
      const stem = first!.split(' ').slice(0, -1).join(' ');
      const isEnding = (span: string) => whole.has(`${stem} ${span}`) || whole.has(`${first} ${span}`);
      const isState = (span: string) => SOURCES.some((text) => text.includes(`state: '${span}'`));
      return [first!, ...others].filter((span) => !isLogged(span) && !isEnding(span) && !isState(span));
    });
    expect(unknown).toEqual([]);
  });

  it('carry codes that there are', () => {
    const codes = cells.flatMap(spansOf).filter(isCode);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !isKnownCode(code))).toEqual([]);
  });

  it('would not be found if they were made up', () => {
    expect(['camera streaming happily', 'camera stream'].filter(isLogged)).toEqual([]);
    expect(['RTSP_', 'RTSP_MOOD'].filter(isKnownCode)).toEqual([]);
    expect(
      messageCells(
        '| message | so |\n| --- | --- |\n| `a b` | x |\n\n| key | so |\n| --- | --- |\n| `c` | x |',
      ),
    ).toEqual(['`a b`']);
  });
});

describe('names that the guide uses', () => {
  it('of metrics are those of the code', () => {
    // `sluice_media` is a host name of the nginx example.
    const reference = renderMetricsReference();
    const names = spansOf(GUIDE).flatMap((span) => span.match(/\bsluice_(?!media\b)[a-z_]+…?/g) ?? []);
    expect(names.length).toBeGreaterThan(10);
    const isMetric = (name: string) =>
      name.endsWith('…') ? reference.includes(`\`${name.slice(0, -1)}`) : reference.includes(`\`${name}\``);
    expect(names.filter((name) => !isMetric(name))).toEqual([]);
  });

  it('of configuration keys and variables are those of the code', () => {
    const reference = renderConfigReference();
    const sections = new Set(
      [...reference.matchAll(/^\| `([a-z][A-Za-z]*)\.[A-Za-z.]+` \|/gm)].map(([, section]) => section),
    );
    const keys = spansOf(GUIDE).filter((span) => /^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/.test(span));
    const ours = keys.filter((key) => sections.has(key.split('.', 1)[0]));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((key) => !reference.includes(`\`${key}\``))).toEqual([]);
    const variables = [...GUIDE.matchAll(/\bSLUICE_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    expect(variables.length).toBeGreaterThan(3);
    const isVariable = (name: string) =>
      reference.includes(`\`${name}\``) ||
      SOURCES.some((text) => text.includes(name)) ||
      GUIDE.includes(`\${${name}}`);
    expect(variables.filter((name) => !isVariable(name))).toEqual([]);
  });

  it('of errors are those of the registry', () => {
    const domains = new Set(CODES.map((code) => code.split('_', 1)[0]));
    const quoted = spansOf(OPERATORS).filter((span) => isCode(span) && domains.has(span.split('_', 1)[0]!));
    expect(quoted.length).toBeGreaterThan(25);
    expect(quoted.filter((code) => !isKnownCode(code))).toEqual([]);
  });
});
