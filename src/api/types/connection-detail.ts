/**
 * `connectionDetail`: what `connectionStatus` has no colour for. A field of Sluice's own beside those of the API family:
 * whether a camera was contacted at all, why it is offline, and when it is tried again.
 */

import { type Static, Type } from 'typebox';
import {
  type CameraReport,
  CONNECTION_STATES,
  type StreamConnection,
} from '../../stream/camera-connection.ts';
import { CAMERA_FAULT_REASONS } from '../../stream/camera-fault.ts';
import { int32, int64, namedType, nullable, oneOf, plainText } from '../fields/field-types.ts';

const STREAM_CONNECTION_PROPERTIES = {
  state: oneOf(
    CONNECTION_STATES,
    '`not-checked`: nobody has contacted it since the gateway started or its URL changed. `connecting`: it is being ' +
      'opened. `live`: it delivers pictures. `reachable`: closed because nobody watches, and the last contact was ' +
      'good. `offline`: the last contact failed.',
  ),
  sinceMs: nullable(int64('Since when, epoch milliseconds; absent: since the gateway knows it.')),
  checkedAtMs: nullable(
    int64('When it last answered, or last failed to, epoch milliseconds; absent: never contacted.'),
  ),
  retryAtMs: nullable(
    int64('When the gateway tries again, epoch milliseconds; absent: it is not offline, or nobody watches.'),
  ),
  reason: nullable(oneOf(CAMERA_FAULT_REASONS, 'Why it is offline; absent when it is not.')),
  code: nullable(plainText('The error code behind the reason.')),
  message: nullable(plainText('The error in a sentence.')),
  host: nullable(plainText('Whom the gateway tried to reach.')),
  port: nullable(int32('On which TCP port.')),
  errno: nullable(
    plainText('The system’s name of the failure, such as `ECONNREFUSED`, `EHOSTUNREACH` or `ENOTFOUND`.'),
  ),
};

export const CONNECTION_DETAIL_SCHEMA = namedType('ConnectionDetail', {
  ...STREAM_CONNECTION_PROPERTIES,
  substream: nullable(Type.Object(STREAM_CONNECTION_PROPERTIES)),
});
export type ConnectionDetail = Static<typeof CONNECTION_DETAIL_SCHEMA>;
type StreamDetail = Omit<ConnectionDetail, 'substream'>;

export function connectionDetail({ main, sub }: CameraReport): ConnectionDetail {
  return { ...streamDetail(main), substream: sub === null ? null : streamDetail(sub) };
}

function streamDetail(connection: StreamConnection): StreamDetail {
  const { state, sinceEpochMs, checkedAtEpochMs, retryAtEpochMs, fault } = connection;
  return {
    state,
    sinceMs: sinceEpochMs,
    checkedAtMs: checkedAtEpochMs,
    retryAtMs: retryAtEpochMs,
    reason: fault?.reason ?? null,
    code: fault?.code ?? null,
    message: fault?.message ?? null,
    host: fault?.host ?? null,
    port: fault?.port ?? null,
    errno: fault?.errno ?? null,
  };
}
