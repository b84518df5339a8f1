import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';
import { importLines, type LineProblem } from './import-lines.ts';
import type { IngestKind } from './ingest-kind.ts';
import { type JsonLine, MAX_LINE_BYTES, readJsonLines } from './json-lines.ts';

async function* chunksOf(text: string, chunkBytes: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

async function linesOf(text: string, chunkBytes = 7): Promise<JsonLine[]> {
  const lines: JsonLine[] = [];
  for await (const line of readJsonLines(chunksOf(text, chunkBytes))) lines.push(line);
  return lines;
}

describe('JSON lines', () => {
  it('are the same no matter how the bytes arrive', async () => {
    const text = '\ufeff{"a":"é"}\r\n\n[1]\nnonsense\n{"b":2}';
    const expected = [
      { lineNumber: 1, value: { a: 'é' } },
      { lineNumber: 3, value: [1] },
      { lineNumber: 4, problem: 'The line is not valid JSON.' },
      { lineNumber: 5, value: { b: 2 } },
    ];
    for (let chunkBytes = 1; chunkBytes <= text.length + 3; chunkBytes++) {
      expect(await linesOf(text, chunkBytes)).toEqual(expected);
    }
  });

  it('are refused if too long, and the next one is read', async () => {
    const text = `"${'x'.repeat(MAX_LINE_BYTES)}"\n1\n`;
    expect(await linesOf(text, 65_536)).toEqual([
      { lineNumber: 1, problem: 'The line has more than 1,048,576 bytes.' },
      { lineNumber: 2, value: 1 },
    ]);
    expect(await linesOf(`"${'x'.repeat(MAX_LINE_BYTES - 2)}"`, 65_536)).toMatchObject([
      { lineNumber: 1, value: expect.any(String) },
    ]);
  });
});

describe('an import', () => {
  const calls: string[] = [];
  const kindOf = (name: string): IngestKind => ({
    name,
    summary: '',
    description: '',
    rowSchema: { properties: { known: {}, other: {}, new: {}, bad: {} } },
    exampleRow: {},
    read: (given) =>
      'bad' in (given as object)
        ? { problem: { field: 'bad', reason: 'bad must be absent.' } }
        : { row: given as object },
    problemsOf: async () => [],
    async store(_context, rows) {
      calls.push(`${name} ${rows.length}`);
      return {
        acceptedCount: rows.filter((row) => !('known' in row)).length,
        conflicts: rows.map((row) =>
          'other' in row ? { field: 'other', reason: 'other is not as it is stored under this id.' } : null,
        ),
        updates: rows.map((row) => ('new' in row ? { field: 'new', reason: 'new is new.' } : null)),
      };
    },
  });

  it('stores by kind, starting with those that others refer to, and names invalid lines', async () => {
    calls.length = 0;
    const many = '{"kind":"a"}\n'.repeat(1_001);
    const rest =
      '{"kind":"b","known":1,"new":1}\n{"kind":"a","known":1,"other":1}\n{"kind":"a","bad":1,"knwon":2}\n{"kind":"c"}\n"text"\n{';
    const problems: LineProblem[] = [];
    const warnings: string[] = [];
    let progress = 0;
    const totals = await importLines({
      lines: readJsonLines(chunksOf(many + rest, 4_096)),
      kinds: [kindOf('b'), kindOf('a')],
      context: { orgUuid: newRuuid(), store: {} as Store, nowMs: 0 },
      onProgress: () => {
        progress += 1;
      },
      onProblem: (problem) => problems.push(problem),
      onWarning: (sentence) => warnings.push(sentence),
    });
    expect(calls).toEqual(['a 1000', 'b 1', 'a 2']);
    expect(totals).toEqual({ lines: 1_007, accepted: 1_001, duplicates: 2, updates: 1, rejected: 4 });
    expect(progress).toBe(3);
    expect(warnings).toEqual(['Unknown fields are ignored: a.knwon (did you mean known?).']);
    const kinds = 'kind must be one of b, a.';
    expect(problems.toSorted((one, other) => one.lineNumber - other.lineNumber)).toEqual([
      { lineNumber: 1_003, reason: 'other is not as it is stored under this id.' },
      { lineNumber: 1_004, reason: 'bad must be absent.' },
      { lineNumber: 1_005, reason: kinds },
      { lineNumber: 1_006, reason: kinds },
      { lineNumber: 1_007, reason: 'The line is not valid JSON.' },
    ]);
  });
});
