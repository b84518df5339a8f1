/**
 * Parses long JSON in slices (sliced-work.ts). The value is the same as from JSON.parse, which parses a text in one
 * go and, for a megabyte of small items, blocks everything else a hundred times longer than media can wait. The
 * text is cut between members of its arrays and objects, and the pieces go through JSON.parse.
 */

import { nextTurn } from './sliced-work.ts';

/** Texts up to this length are parsed in one go; pieces of longer ones are about half as long. */
export const MAX_PIECE_CHARS = 64 * 1_024;
/** Characters per slice. */
const SLICE_CHARS = MAX_PIECE_CHARS / 2;
/** Longer texts can nest this deep: every level that contains a long piece costs a pass over it. */
export const MAX_NESTING = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Names of the members of long objects. */
const LONG_OBJECTS = new WeakMap<object, readonly string[]>();

/**
 * The names of an object's members. For an object that was parsed in slices, they are stored, with duplicates if its text repeats a name:
 * listing the keys of a hundred thousand members blocks V8 for 30 ms.
 */
export function memberNames(object: object): readonly string[] {
  return LONG_OBJECTS.get(object) ?? Object.keys(object);
}

/** Fails with a SyntaxError like JSON.parse, and also for a long text that nests deeper than MAX_NESTING. */
export async function parseJsonInSlices(text: string): Promise<unknown> {
  return new Parser(text).value(0, text.length);
}

/** A place in the text, `end` excluded. */
interface Span {
  readonly start: number;
  readonly end: number;
}

class Parser {
  readonly #text: string;
  #charsOfSlice = 0;

  constructor(text: string) {
    this.#text = text;
  }

  async value(start: number, end: number): Promise<unknown> {
    if (end - start <= MAX_PIECE_CHARS) return this.#parse(this.#text.slice(start, end));
    const { start: first, end: behind } = this.#trimmed(start, end);
    const opening = this.#text.charCodeAt(first);
    const closing = this.#text.charCodeAt(behind - 1);
    if (opening === OPEN_BRACKET && closing === CLOSE_BRACKET) return this.#array(first + 1, behind - 1);
    if (opening === OPEN_BRACE && closing === CLOSE_BRACE) return this.#object(first + 1, behind - 1);
    // A long string or number, or an error. Neither takes long.
    return this.#parse(this.#text.slice(first, behind));
  }

  async #array(start: number, end: number): Promise<unknown[]> {
    const items: unknown[] = [];
    for (const piece of await this.#pieces(start, end)) {
      if (piece.isMember) {
        items.push(await this.value(piece.start, piece.end));
        continue;
      }
      const parsed = (await this.#parse(`[${this.#text.slice(piece.start, piece.end)}]`)) as unknown[];
      if (parsed.length === 0) throw unexpectedComma();
      for (const item of parsed) items.push(item);
    }
    return items;
  }

  async #object(start: number, end: number): Promise<object> {
    const fields = {};
    const names: string[] = [];
    for (const piece of await this.#pieces(start, end)) {
      if (piece.isMember) {
        const { name, valueStart } = this.#memberName(piece);
        setField(fields, name, await this.value(valueStart, piece.end));
        names.push(name);
        continue;
      }
      const parsed = (await this.#parse(`{${this.#text.slice(piece.start, piece.end)}}`)) as object;
      const entries = Object.entries(parsed);
      if (entries.length === 0) throw unexpectedComma();
      for (const [name, value] of entries) {
        setField(fields, name, value);
        names.push(name);
      }
    }
    LONG_OBJECTS.set(fields, names);
    return fields;
  }

  /** The text between the commas of this level: each long member separately, short ones together. */
  async #pieces(start: number, end: number): Promise<(Span & { readonly isMember: boolean })[]> {
    const pieces: (Span & { isMember: boolean })[] = [];
    let gathered = start;
    let memberStart = start;
    const endMember = (at: number): void => {
      if (at - memberStart > MAX_PIECE_CHARS) {
        if (memberStart > gathered) pieces.push({ start: gathered, end: memberStart - 1, isMember: false });
        pieces.push({ start: memberStart, end: at, isMember: true });
        gathered = at + 1;
      } else if (at - gathered >= SLICE_CHARS || at === end) {
        pieces.push({ start: gathered, end: at, isMember: false });
        gathered = at + 1;
      }
      memberStart = at + 1;
    };
    let depth = 0;
    let isInString = false;
    for (let at = start; at < end; at++) {
      if (++this.#charsOfSlice >= SLICE_CHARS) await this.#pause();
      const char = this.#text.charCodeAt(at);
      if (isInString) {
        if (char === BACKSLASH) at++;
        else if (char === QUOTE) isInString = false;
      } else if (char === QUOTE) isInString = true;
      else if (char === OPEN_BRACKET || char === OPEN_BRACE) {
        if (++depth > MAX_NESTING) throw new SyntaxError('The JSON nests too deep');
      } else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) depth--;
      else if (char === COMMA && depth === 0) endMember(at);
    }
    endMember(end);
    return pieces;
  }

  /** The name at the start of an object member. */
  #memberName({ start, end }: Span): { name: string; valueStart: number } {
    const text = this.#text;
    const quote = this.#trimmed(start, end).start;
    let at = quote + 1;
    while (at < end && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    const name: unknown = JSON.parse(text.slice(quote, at + 1));
    const colon = this.#trimmed(at + 1, end).start;
    if (typeof name !== 'string' || text.charCodeAt(colon) !== COLON) {
      throw new SyntaxError('A member of an object has no name');
    }
    return { name, valueStart: colon + 1 };
  }

  async #parse(json: string): Promise<unknown> {
    this.#charsOfSlice += json.length;
    if (this.#charsOfSlice >= SLICE_CHARS) await this.#pause();
    return JSON.parse(json) as unknown;
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#charsOfSlice = 0;
  }

  /** Trims the white space of RFC 8259 §2. */
  #trimmed(start: number, end: number): Span {
    let first = start;
    let behind = end;
    while (first < behind && isSpace(this.#text.charCodeAt(first))) first++;
    while (behind > first && isSpace(this.#text.charCodeAt(behind - 1))) behind--;
    return { start: first, end: behind };
  }
}

function isSpace(char: number): boolean {
  return char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
}

/** Like JSON.parse: an own property, whatever its name. */
function setField(fields: object, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
}

function unexpectedComma(): SyntaxError {
  return new SyntaxError('There is nothing next to a comma');
}
