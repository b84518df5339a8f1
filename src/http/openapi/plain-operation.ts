/** Operations in the documents that are not endpoints of the usual form, because a standard defines their requests. */

import type { TObject } from 'typebox';

export interface PlainOperation {
  readonly path: `/${string}`;
  readonly method: 'get' | 'post';
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly isExtension: boolean;
  /** Parameters of the query, or fields of a form or of a JSON object. */
  readonly request: { readonly kind: 'query' | 'form' | 'json'; readonly schema: TObject };
  readonly response: TObject;
  /** The status of a success. Default: 200. */
  readonly status?: 201;
  /** The form of refusals, by status; undefined: they are 200 with the envelope. */
  readonly failure?: StandardFailure;
  /** `key`: as every endpoint. `client`: an application with its secret. */
  readonly caller: 'key' | 'client';
  readonly example: {
    readonly request: Readonly<Record<string, string | readonly string[]>>;
    readonly response: object;
  };
}

/** A refusal whose form a standard gives. */
export interface StandardFailure {
  readonly schema: TObject;
  readonly example: object;
  /** The meaning, by status. A 401 that is not listed has the usual response. */
  readonly statuses: Readonly<Partial<Record<'400' | '401' | '403', string>>>;
}
