/** POST /api/camera/bulkUpdateSharedStreams: ends or extends many shares at once. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  int32,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { onlyFalse } from '../../http/fields/only-false.ts';
import { invalidField } from '../../http/request-body.ts';
import { requestSentence } from '../../http/request-sentences.ts';
import { type BulkShareChange, changeShares, MAX_BULK_SHARES } from '../../sharing/bulk-share-changes.ts';
import { EXAMPLE_SHARE_UUID } from '../types/examples.ts';

const ACTIONS = ['DELETE', 'SET_EXPIRATION', 'REMOVE_EXPIRATION'] as const;

const RESULT_SCHEMA = namedType('BulkSharedStreamResult', {
  uuid: ruuid('The share.'),
  errorMsg: nullable(plainText('Why it was not changed; absent: it was.')),
});

export const bulkUpdateSharedStreams = defineEndpoint({
  path: '/api/camera/bulkUpdateSharedStreams',
  summary: 'Deletes many shared live streams, or sets when they end.',
  description:
    'Each share is changed as by `deleteSharedLiveVideoStream` or `updateSharedLiveVideoStream`, entirely or not at all. If ' +
    'one is refused, the others are changed all the same; `results` says which. When the call returns, all views that ' +
    'the changes end have ended.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    sharedLiveVideoStreamUuids: listOf(ruuid('Share.'), 'The shares.', MAX_BULK_SHARES),
    action: oneOf(ACTIONS, 'What happens to each.'),
    expirationTimeSecs: Type.Optional(
      int32(
        'With SET_EXPIRATION, when they end: values below 1,000,000,000 are seconds from now, others epoch seconds.',
      ),
    ),
    ssoProtected: Type.Optional(
      onlyFalse(
        'This call only ends and extends: true is refused.',
        'this call only ends and extends shares. Change it with /api/camera/updateSharedLiveVideoStream.',
      ),
    ),
  }),
  response: {
    results: listOf(RESULT_SCHEMA, 'What became of each share, in order.'),
    changedCount: int32('How many were changed.'),
  },
  example: {
    request: {
      ...{ sharedLiveVideoStreamUuids: [EXAMPLE_SHARE_UUID], action: 'SET_EXPIRATION' },
      expirationTimeSecs: 86_400,
    },
    response: { results: [{ uuid: EXAMPLE_SHARE_UUID, errorMsg: null }], changedCount: 1 },
  },
  async handler({ orgUuid, services }, { sharedLiveVideoStreamUuids, action, expirationTimeSecs }) {
    const change = changeOf(action, expirationTimeSecs);
    const results = await changeShares(services.shares, orgUuid, sharedLiveVideoStreamUuids, change);
    return {
      results: results.map(({ shareUuid, error }) => ({
        uuid: shareUuid,
        errorMsg: error === null ? null : requestSentence(error),
      })),
      changedCount: results.filter(({ error }) => error === null).length,
    };
  },
});

/** Fails INVALID_FIELD. */
function changeOf(action: (typeof ACTIONS)[number], expirationTimeSecs: number | undefined): BulkShareChange {
  if (action === 'SET_EXPIRATION') {
    if (expirationTimeSecs === undefined) {
      throw invalidField('expirationTimeSecs is required with action SET_EXPIRATION.');
    }
    return { kind: 'expire', expirationTimeSecs };
  }
  if (expirationTimeSecs !== undefined) {
    throw invalidField(`expirationTimeSecs must be absent with action ${action}.`);
  }
  return action === 'DELETE' ? { kind: 'delete' } : { kind: 'expire', expirationTimeSecs: null };
}
