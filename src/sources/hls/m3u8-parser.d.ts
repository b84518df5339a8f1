/** The part of m3u8-parser 7 that is used; the package ships no types. */
declare module 'm3u8-parser' {
  export class Parser {
    manifest: unknown;
    addParser(options: { expression: RegExp; customType: string; segment: boolean }): void;
    push(text: string): void;
    end(): void;
  }
}
