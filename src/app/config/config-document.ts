/** A parsed configuration file, and where everything is in it. */

import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { ConfigProblem } from './errors.ts';

/** How many aliases of aliases are followed; more is a loop. */
const MAX_ALIAS_DEPTH = 8;

/** YAML errors whose messages repeat a piece of the file, which may be a piece of a password. */
const QUOTING_ERRORS: ReadonlySet<string> = new Set([
  'BAD_ALIAS',
  'BAD_DIRECTIVE',
  'BAD_DQ_ESCAPE',
  'BAD_SCALAR_START',
  'TAG_RESOLVE_FAILED',
  'UNEXPECTED_TOKEN',
]);

/** A value in the file, independent of how YAML writes it. */
export type FileValue =
  | { readonly kind: 'absent' }
  | { readonly kind: 'scalar'; readonly text: string; readonly source: string }
  | { readonly kind: 'list'; readonly items: readonly Node[]; readonly source: string }
  | { readonly kind: 'map'; readonly entries: readonly FileEntry[]; readonly source: string };

export interface FileEntry {
  readonly key: string;
  /** Source of the key. */
  readonly source: string;
  readonly value: Node | null;
}

const ABSENT: FileValue = { kind: 'absent' };

export class ConfigDocument {
  readonly #name: string;
  readonly #lines = new LineCounter();
  readonly #document: ReturnType<typeof parseDocument>;

  /** `name`: what messages call the file. */
  constructor(name: string, text: string) {
    this.#name = name;
    // Pretty errors would quote the line, which may contain a camera's password.
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
  }

  get root(): Node | null {
    return this.#document.contents;
  }

  /** Problems that make the file invalid YAML. */
  syntaxProblems(): ConfigProblem[] {
    return this.#document.errors.map((error) => ({
      source: this.#sourceAt(error.pos[0]),
      key: '',
      message: messageOf(error),
    }));
  }

  /** Content of a node; null and an empty node are `absent`. */
  valueOf(node: Node | null): FileValue {
    const target = this.#followAliases(node);
    const source = this.sourceOf(node);
    if (target === null) return ABSENT;
    if (isSeq(target)) return { kind: 'list', items: target.items as Node[], source };
    if (isMap(target)) {
      const entries = target.items.map((pair) => this.#entryOf(pair.key, pair.value as Node | null));
      return { kind: 'map', entries, source };
    }
    if (!isScalar(target) || target.value === null || target.value === undefined) return ABSENT;
    // A number or boolean as written: 007 stays 007.
    const text = typeof target.value === 'string' ? target.value : (target.source ?? String(target.value));
    return { kind: 'scalar', text, source };
  }

  /** `sluice.yaml:12:5`. */
  sourceOf(node: Node | null): string {
    return node?.range ? this.#sourceAt(node.range[0]) : this.#name;
  }

  #entryOf(key: unknown, value: Node | null): FileEntry {
    if (!isScalar(key)) return { key: '?', source: this.#name, value };
    return { key: String(key.value), source: this.sourceOf(key), value };
  }

  #followAliases(node: Node | null): Node | null {
    let target: Node | null | undefined = node;
    for (let depth = 0; depth < MAX_ALIAS_DEPTH && isAlias(target); depth++) {
      target = target.resolve(this.#document);
    }
    return target === undefined || isAlias(target) ? null : target;
  }

  #sourceAt(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#name}:${line}:${col}`;
  }
}

function messageOf({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code === 'RESOURCE_EXHAUSTION') return 'is nested too deeply';
  return QUOTING_ERRORS.has(code) ? 'invalid YAML' : message;
}
