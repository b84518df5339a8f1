import { expect, test } from 'vitest';
import { NO_PAST, pastChanges, pastChoiceOf, pastTerms } from './past-choice.ts';

const SHARED = { vodEnabled: true, vodPastSecs: 3_600, vodExpirationTime: 1_800_000_000 };

test('sends no limits without a past', () => {
  const terms = pastTerms({ isShown: false, backSec: 3_600, end: { kind: 'in', sec: 60 } });
  expect(terms).toEqual({ vodEnabled: false, vodPastSecs: null, vodExpirationTimeSecs: null });
});

test('says what the API takes', () => {
  expect(pastTerms({ isShown: true, backSec: 86_400, end: { kind: 'in', sec: 60 } })).toEqual({
    vodEnabled: true,
    vodPastSecs: 86_400,
    vodExpirationTimeSecs: 60,
  });
});

test('changes only what differs, and turns all of it off', () => {
  expect(pastChanges(SHARED, pastChoiceOf(SHARED))).toEqual({});
  expect(pastChanges(SHARED, { ...pastChoiceOf(SHARED), backSec: null })).toEqual({ vodPastSecs: null });
  expect(pastChanges(SHARED, NO_PAST)).toEqual({
    vodEnabled: false,
    vodPastSecs: null,
    vodExpirationTimeSecs: null,
  });
  expect(pastChanges({ vodEnabled: false }, NO_PAST)).toEqual({});
});
