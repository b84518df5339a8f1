/** What a page keeps in memory, by who keeps it: from heap snapshots, so a test that fails says what has grown. */

import type { CDPSession } from 'playwright-core';

/** Sizes in bytes, after a collection. */
export interface HeapParts {
  /** What scripts made: objects, functions, strings, arrays. */
  readonly objects: number;
  /** What V8 made of the source: bytecode, machine code, and their tables. At most one of each kind for a function. */
  readonly code: number;
  /** What the browser has for the page: elements, styles, players. */
  readonly browser: number;
  /** What it notes about the page: requests and console messages, which test tools ask it to note, and performance entries. */
  readonly notes: number;
  /** Sizes by type and name. */
  readonly names: ReadonlyMap<string, number>;
}

export type HeapPart = Exclude<keyof HeapParts, 'names'>;

export const HEAP_PARTS: readonly HeapPart[] = ['objects', 'code', 'browser', 'notes'];

interface Snapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly unknown[] };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

const CODE_TYPES: ReadonlySet<string> = new Set(['code', 'object shape']);
/**
 * Blink's inspector has a record of each request as long as DevTools or Playwright watch the network, and the last 1,000 console messages.
 * The buffers of the performance timeline end at 150 to 250 entries of a kind.
 */
const NOTES = new RegExp(
  [
    'NetworkResourcesData|ConsoleMessage|SourceLocation|^Performance|TimingInfo|TaskAttribution|LayoutShift',
    'ContentfulPaint|PerformanceEntry|PerformanceScriptTiming|^DOMRectReadOnly$',
  ].join('|'),
);

/** Of all these processes together. */
export async function heapParts(sessions: readonly CDPSession[]): Promise<HeapParts> {
  const sums = { objects: 0, code: 0, browser: 0, notes: 0 };
  const names = new Map<string, number>();
  for (const session of sessions) {
    const { snapshot, nodes, strings } = await takeSnapshot(session);
    const { node_fields: fields, node_types: types } = snapshot.meta;
    const [typeAt, nameAt, sizeAt] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field));
    for (let at = 0; at < nodes.length; at += fields.length) {
      const type = (types[typeAt!] as readonly string[])[nodes[at + typeAt!]!]!;
      const name = strings[nodes[at + nameAt!]!]!;
      const size = nodes[at + sizeAt!]!;
      sums[partOf(type, name)] += size;
      const key = type.includes('string') || type === 'number' ? type : `${type} ${name.slice(0, 100)}`;
      names.set(key, (names.get(key) ?? 0) + size);
    }
  }
  return { ...sums, names };
}

/** What has grown most, one a line. */
export function grownMost(before: HeapParts, after: HeapParts, count: number): string {
  const grown = [...after.names].map(([name, size]) => [name, size - (before.names.get(name) ?? 0)] as const);
  const most = grown.toSorted(([, a], [, b]) => b - a).slice(0, count);
  return most.map(([name, bytes]) => `${String(bytes).padStart(9)} ${name}`).join('\n');
}

async function takeSnapshot(session: CDPSession): Promise<Snapshot> {
  const chunks: string[] = [];
  const take = ({ chunk }: { readonly chunk: string }): void => void chunks.push(chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', take);
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', take);
  return JSON.parse(chunks.join('')) as Snapshot;
}

function partOf(type: string, name: string): HeapPart {
  if (type === 'native') return name.startsWith('system /') ? 'code' : NOTES.test(name) ? 'notes' : 'browser';
  return CODE_TYPES.has(type) ? 'code' : 'objects';
}
