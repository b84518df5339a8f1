import { describe, expect, it } from 'vitest';
import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { ISOBMFF_ERRORS } from '../../isobmff/errors.ts';
import { PLAYBACK_ERRORS } from '../../playback/errors.ts';
import { RECORDING_ERRORS } from '../../recording/errors.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import { failureReasonOf, failureResponse, offlineError } from './refusal-response.ts';

const reasonOf = (definition: ErrorDefinition) => failureReasonOf(new GatewayError(definition));

describe('the reason of a failure', () => {
  it.each(
    [RECORDING_ERRORS, PLAYBACK_ERRORS, ISOBMFF_ERRORS].flatMap((errors): ErrorDefinition[] =>
      Object.values(errors),
    ),
  )('says nothing about the camera if the past cannot be read: $code', (definition) => {
    expect(reasonOf(definition)).not.toBe('camera-offline');
  });

  it('names the camera if it is offline', () => {
    expect(reasonOf(STREAM_ERRORS.STREAM_OFFLINE)).toBe('camera-offline');
  });

  it('says when an offline camera is tried again, however long that is', () => {
    const nowEpochMs = 1_000_000;
    const retryAtEpochMs = nowEpochMs + 360_000;
    const error = new GatewayError(STREAM_ERRORS.STREAM_OFFLINE);
    const { body } = failureResponse(offlineError({ state: 'offline', error, retryAtEpochMs }, nowEpochMs));
    expect(body.retryAtEpochMs).toBe(retryAtEpochMs);
    expect(body.retryAfterSec).toBeLessThan(360);
    expect(failureResponse(error).body.retryAtEpochMs).toBeUndefined();
  });
});
