/** Every endpoint that changes something decides what a call that is sent twice does (docs/design/idempotency.md). */

import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints.ts';

/** By their names (docs/spec/conventions.md), these change nothing. */
const READING = /\/(?:count|find|get|validate)[A-Z]\w*$|^\/api\/export\//;
/** Names that promise something new. */
const CREATING = /\/(?:add|assign|create|generate|invite|pause|save|splice|submit)[A-Z]\w*$/;
/** What these create expires within minutes, or is replaced by the same call. */
const SHORT_LIVED = new Set([
  // The same time or clip is added once.
  '/api/evidence/addToCase',
  // A camera has one.
  '/api/camera/pauseCamera',
  '/api/camera/createPreviewGrant',
  '/api/console/addPushSubscription',
  '/api/console/createPublicUrlCheck',
  '/api/console/createSupportBundle',
  '/api/org/generateFederatedSessionToken',
]);

describe('an endpoint', () => {
  it('that does not only read says what a second call does', () => {
    const undecided = ENDPOINTS.filter(
      ({ path, repetition }) => !READING.test(path) && repetition === 'reads',
    );
    expect(undecided.map(({ path }) => path)).toEqual([]);
    const wrong = ENDPOINTS.filter(({ path, repetition }) => READING.test(path) && repetition !== 'reads');
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('whose name promises something new honors Idempotency-Key', () => {
    const others = ENDPOINTS.filter(({ path, repetition }) => CREATING.test(path) && repetition !== 'once');
    expect(new Set(others.map(({ path }) => path))).toEqual(SHORT_LIVED);
  });
});
