/** One line of the table: what somebody who holds little does, and what must not come of it. */

import type { TestConfig, TestGateway, TestShare } from '../../../test/support/gateway.ts';

/** Where attacks take place. */
export interface Ground {
  readonly gateway: TestGateway;
  /** What the gateway was configured with. */
  readonly config: TestConfig;
  /** Of a camera that is well, without a password. */
  readonly share: TestShare;
  /** Of another camera that is well. */
  readonly other: TestShare;
  /** Of the Media Playlist behind `share`, with a grant. */
  readonly playlistUrl: string;
  readonly grant: string;
  readonly otherGrant: string;
  /** Makes grants as the gateway does. */
  readonly signingKey: Buffer;
  readonly isShort: boolean;
}

export interface Abuse {
  readonly group: string;
  readonly name: string;
  /** Resolves with what should not have happened, a sentence each. */
  attack(ground: Ground): Promise<readonly string[]>;
}

/** Sentences for those that are not as they should be. */
export function deviations(checks: Iterable<readonly [what: string, isFine: boolean]>): string[] {
  return [...checks].filter(([, isFine]) => !isFine).map(([what]) => what);
}

const MAX_SENTENCES = 5;

/** Not more than a few of many. */
export function few(sentences: readonly string[]): string[] {
  const rest = sentences.length - MAX_SENTENCES;
  return rest > 0 ? [...sentences.slice(0, MAX_SENTENCES), `and ${rest} more`] : [...sentences];
}

export function grantOf(url: string): string {
  return new URL(url).pathname.split('/')[2]!;
}

export function holdsMedia(body: Buffer | string): boolean {
  return /ftyp|moof|#EXTM3U/.test(body.toString('latin1'));
}
