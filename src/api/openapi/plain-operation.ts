/** Operations that documents show and that are no endpoints of the usual form: those whose requests a standard shapes. */

import type { TObject } from 'typebox';

export interface PlainOperation {
  readonly path: `/${string}`;
  readonly method: 'get' | 'post';
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly isExtension: boolean;
  /** Parameters of the query, or fields of a form. */
  readonly request: { readonly kind: 'query' | 'form'; readonly schema: TObject };
  readonly response: TObject;
  /** What a 400 answers; undefined: refusals are 200 with the envelope. */
  readonly failure?: { readonly schema: TObject; readonly example: object };
  /** `key`: as every endpoint. `client`: an application with its secret. */
  readonly caller: 'key' | 'client';
  readonly example: { readonly request: Readonly<Record<string, string>>; readonly response: object };
}
