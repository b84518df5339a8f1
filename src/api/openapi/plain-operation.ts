/** Operations in the documents that are not endpoints of the usual form, because a standard defines their requests. */

import type { TObject } from 'typebox';

export interface PlainOperation {
  readonly path: `/${string}`;
  readonly method: 'get' | 'post';
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly isExtension: boolean;
  /** Query parameters, or fields of a form. */
  readonly request: { readonly kind: 'query' | 'form'; readonly schema: TObject };
  readonly response: TObject;
  /** The body of a 400; undefined: refusals are 200 with the envelope. */
  readonly failure?: { readonly schema: TObject; readonly example: object };
  /** `key`: like every endpoint. `client`: an application with its secret. */
  readonly caller: 'key' | 'client';
  readonly example: { readonly request: Readonly<Record<string, string>>; readonly response: object };
}
