/** What docs/security claims can be found in the repository: tests by their titles, files, and settings. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { CONFIG_SCHEMA } from '../../src/app/config/schema.ts';
import type { GroupChildren } from '../../src/app/config/schema-nodes.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

interface Table {
  readonly heading: string;
  /** Rows of cells, without the head and the rule. */
  readonly rows: readonly (readonly string[])[];
}

/** The tables of a page that begin with these columns, by the heading above them. */
function tablesOf(page: string, columns: readonly string[]): Table[] {
  const isHead = (line: string): boolean => cellsOf(line).join('|') === columns.join('|');
  return page
    .split(/^#+ /m)
    .map((section) => section.split('\n'))
    .filter((lines) => lines.some(isHead))
    .map((lines) => {
      const rows = lines.slice(lines.findIndex(isHead) + 2);
      const end = rows.findIndex((line) => !line.startsWith('|'));
      return { heading: lines[0]!, rows: (end < 0 ? rows : rows.slice(0, end)).map(cellsOf) };
    });
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Why the citation of a test is wrong; null if the file contains a test with this title, or one that begins with it. */
function faultOfTest(cell: string): string | null {
  const [, file, title] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(cell) ?? [];
  if (file === undefined || title === undefined) return `${cell}: is not \`file\`: title`;
  if (!existsSync(join(ROOT, file))) return `${file}: there is no such file`;
  const quoted = ["'", '"', '`'].some((quote) => read(file).includes(quote + title));
  return quoted ? null : `${file}: has no test "${title}"`;
}

/** Why the file or folder in a cell is wrong; null if it exists. */
function faultOfFile(cell: string): string | null {
  const [, file] = /^`([^`]+)`$/.exec(cell) ?? [];
  if (file === undefined) return `${cell}: is not \`file\``;
  return existsSync(join(ROOT, file)) ? null : `${file}: there is no such file`;
}

describe('the threat model', () => {
  const tables = tablesOf(read('docs/security/threat-model.md'), [
    'asset',
    'threat',
    'control',
    'test',
    'file',
  ]);

  it('covers each way in', () => {
    expect(tables.map(({ heading }) => heading)).toEqual([
      'Links',
      'API keys and tokens',
      'Sessions and passkeys',
      'Console and viewer page',
      'Cameras',
      'FFmpeg and native code',
      'Uploads of recorders',
      'Recordings, clips, and backups',
      'SQLite, PostgreSQL, and Redis',
      'Links between nodes',
      'Requests to other hosts',
      'TLS and ACME',
      'Log and audit trail',
      'Supply chain',
    ]);
    for (const { rows } of tables) expect(rows.length).toBeGreaterThan(1);
  });

  it('names tests and files that exist', () => {
    const rows = tables.flatMap((table) => table.rows);
    expect(rows.filter((row) => row.length !== 5 || row.includes(''))).toEqual([]);
    const faults = rows.flatMap((row) => [faultOfTest(row[3]!), faultOfFile(row[4]!)]);
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  it('would notice a test or a file that does not exist', () => {
    const self = 'test/structure/security-papers.test.ts';
    expect(faultOfTest(`\`${self}\`: covers each way in`)).toBeNull();
    expect(faultOfTest(`\`${self}\`: opens every door`)).toContain('has no test');
    expect(faultOfTest('`src/gone.test.ts`: works')).toContain('no such file');
    expect(faultOfTest('trust us')).toContain('is not');
    expect(faultOfFile('`src/gone.ts`')).toContain('no such file');
  });
});

describe('the page about personal data', () => {
  const page = read('docs/security/data-protection.md');
  const named = (first: string, heading: string): string[] =>
    tablesOf(page, [first, 'personal data', 'how long'])
      .filter((table) => table.heading === heading)
      .flatMap(({ rows }) => rows.flatMap(([name]) => name!.replaceAll('`', '').split(', ')))
      .sort();

  it('names each table of the database', () => {
    const db = new DatabaseSync(':memory:');
    for (const { sql } of MIGRATIONS) db.exec(sql);
    const tables = db.prepare("select name from sqlite_master where type = 'table' order by name").all();
    expect(tables.length).toBeGreaterThan(30);
    expect(named('table', 'The database')).toEqual(tables.map(({ name }) => name).sort());
  });

  it('names each kind of resource', () => {
    const [, union = ''] = /type ResourceKindName =([^;]+);/.exec(read('src/store/resource.ts')) ?? [];
    const kinds = Array.from(union.matchAll(/'(\w+)'/g), ([, kind]) => kind!);
    expect(kinds.length).toBeGreaterThan(30);
    expect(named('kind', 'Kinds of resources')).toEqual(kinds.sort());
  });

  it('names calls of the API that exist', () => {
    const paths = new Set(ENDPOINTS.map(({ path }) => path.replace('/api/', '')));
    const calls = Array.from(page.matchAll(/`([a-z]+\/[A-Za-z]+)`/g), ([, call]) => call!);
    expect(calls.length).toBeGreaterThan(8);
    expect(calls.filter((call) => !paths.has(call))).toEqual([]);
  });
});

describe('settings in the papers', () => {
  const settings = new Set(settingsOf(CONFIG_SCHEMA.children, ''));
  const groups = new Set([...settings].map((name) => name.split('.')[0]!));
  /** Code spans with a dotted name whose first part is a section of the configuration. */
  const settingsIn = (text: string): string[] =>
    Array.from(text.matchAll(/`([a-z]\w*(?:\.\w+)+)(?:: [^`]*)?`/g), ([, name]) => name!).filter((name) =>
      groups.has(name.split('.')[0]!),
    );

  it('exist', () => {
    const files = globSync('docs/security/*.md', { cwd: ROOT });
    expect(files.length).toBeGreaterThan(2);
    const unknown = files.flatMap((file) => settingsIn(read(file)).filter((name) => !settings.has(name)));
    expect(unknown).toEqual([]);
    expect(settingsIn('`recording.encryption`, `cameras.audio: off`')).toEqual([
      'recording.encryption',
      'cameras.audio',
    ]);
  });

  it('are named by each step of the checklist, and exist', () => {
    const tables = tablesOf(read('docs/security/hardening.md'), ['done', 'step', 'setting', 'check']);
    const cells = tables.flatMap(({ rows }) => rows.map((row) => row[2]!));
    expect(cells.length).toBeGreaterThan(40);
    const names = cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!));
    expect(names.filter((name) => !settings.has(name))).toEqual([]);
    expect(cells.filter((cell) => !cell.includes('`') && !/^none\b/.test(cell))).toEqual([]);
  });
});

function settingsOf(children: GroupChildren, above: string): string[] {
  return Object.entries(children).flatMap(([key, node]) => {
    const path = `${above}${key}`;
    const inner = node.node === 'list' ? node.item.children : node.node === 'group' ? node.children : {};
    return [path, ...settingsOf(inner, `${path}.`)];
  });
}

describe('the page about standards', () => {
  const page = read('docs/security/standards.md');
  const rowsOf = (first: string) =>
    tablesOf(page, [first, 'status', 'how', 'file']).flatMap(({ rows }) => rows);
  const numbered = (prefix: string, counts: readonly number[]): string[] =>
    counts.flatMap((count, group) =>
      Array.from({ length: count }, (_, at) => prefix.replace('#', String(group + 1)) + String(at + 1)),
    );

  it('has each component requirement of IEC 62443-4-2', () => {
    const names = rowsOf('requirement').map(([name]) => / (\d(?:\.\d+)?) /.exec(name!)?.[1]);
    // Requirements of each foundational requirement, after the four common constraints (CCSC).
    const expected = [...numbered('', [4]), ...numbered('#.', [14, 13, 14, 3, 4, 2, 8])];
    expect(names).toEqual(expected);
  });

  it('has each provision of ETSI EN 303 645', () => {
    const names = rowsOf('provision').map(([name]) => name!.split(' ')[0]);
    const expected = [...numbered('5.#-', [5, 3, 16, 4, 8, 9, 2, 3, 3, 1, 4, 3, 1]), ...numbered('6-', [5])];
    expect(names).toEqual(expected);
  });

  it('says for each whether it is met, and shows a file', () => {
    for (const [name, status, how, file] of [...rowsOf('requirement'), ...rowsOf('provision')]) {
      expect([name, ['met', 'partly', 'not met', 'n/a'].includes(status!), how === '']).toEqual([
        name,
        true,
        false,
      ]);
      if (file !== 'none') expect([name, faultOfFile(file!)]).toEqual([name, null]);
      else expect([name, status]).toEqual([name, expect.stringMatching(/^(?:not met|n\/a)$/)]);
    }
  });

  it('lists what keeps Sluice from the first security level', () => {
    const open = rowsOf('requirement')
      .filter(([name, status]) => /^(?:CR|SAR)/.test(name!) && (status === 'partly' || status === 'not met'))
      .map(([name]) => /^\S+ \S+/.exec(name!)![0]);
    const [, listed = ''] =
      /SL-C 1 fails because of[^:]*: ([^.]*(?:\.\d[^.]*)*)\./.exec(page.replaceAll('\n', ' ')) ?? [];
    const named = listed.split(/, (?:and )?/);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !open.includes(name))).toEqual([]);
    // These begin with a higher level.
    expect(open.filter((name) => !named.includes(name))).toEqual(FROM_LEVEL_2);
  });
});

/** Requirements without one for SL-C 1 (IEC 62443-4-2, annex B). */
const FROM_LEVEL_2 = ['CR 1.2', 'CR 1.8', 'CR 1.9', 'CR 2.7', 'CR 3.9', 'CR 4.2'];

describe('the supply chain', () => {
  it('pins the actions of CI by commit, and lets their token only read', () => {
    const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT });
    expect(workflows.length).toBeGreaterThan(1);
    for (const file of workflows) {
      const uses = [...read(file).matchAll(/uses: (\S+)/g)].map(([, action]) => action!);
      expect(uses.length).toBeGreaterThan(0);
      expect(uses.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
      expect(read(file)).toMatch(/^permissions:\n {2}contents: read$/m);
      expect(read(file)).not.toMatch(/: write$/m);
    }
  });
});
