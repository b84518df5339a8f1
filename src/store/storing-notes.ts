/**
 * Tells a request's caller that its changes are in force, but not stored yet. Code that makes such a change notes it, however
 * deep in the rooms, and the response says it once.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { EndInForce } from './access-end.ts';

interface Notes {
  isNotStored: boolean;
  readonly silentNodes: Set<string>;
}

const noting = new AsyncLocalStorage<Notes>();

const IN_FORCE = 'This is in force, and will be stored as soon as the database can be reached.';

/** Runs `work`. `onNotes` is called with sentences for the caller, if there are any, also if it fails. */
export async function withStoringNotes<T>(
  work: () => Promise<T>,
  onNotes: (sentence: string) => void,
): Promise<T> {
  const notes: Notes = { isNotStored: false, silentNodes: new Set() };
  try {
    return await noting.run(notes, work);
  } finally {
    if (notes.isNotStored) onNotes(sentenceOf(notes));
  }
}

/** A change of the running request is in force and waits for the store. */
export function noteNotStored({ silentNodes }: Pick<EndInForce, 'silentNodes'>): void {
  const notes = noting.getStore();
  if (notes === undefined) return;
  notes.isNotStored = true;
  for (const node of silentNodes) notes.silentNodes.add(node);
}

function sentenceOf({ silentNodes }: Notes): string {
  if (silentNodes.size === 0) return IN_FORCE;
  const names = [...silentNodes].sort().join(', ');
  return `${IN_FORCE} These nodes could not be reached, and will learn of it when they can be: ${names}.`;
}
