/** The part of m3u8-parser 7 that tests use; the package ships no types. */
declare module 'm3u8-parser' {
  export class Parser {
    manifest: any;
    push(text: string): void;
    end(): void;
  }
}
