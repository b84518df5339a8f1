/**
 * `connectionDetail`: what `connectionStatus` has no color for. A field specific to Sluice, next to those of the API
 * family: whether a camera was contacted at all, why it is offline, and when the gateway tries again.
 */

import { type Static, Type } from 'typebox';
import { int32, int64, namedType, nullable, oneOf, plainText } from '../../http/fields/field-types.ts';
import {
  type CameraReport,
  CONNECTION_STATES,
  type StreamConnection,
} from '../../stream/camera-connection.ts';
import { CAMERA_FAULT_REASONS } from '../../stream/source/camera-fault.ts';
import { adviceFor } from '../../stream/source/camera-fault-advice.ts';

const STREAM_CONNECTION_PROPERTIES = {
  state: oneOf(
    CONNECTION_STATES,
    '`not-checked`: no one has contacted it since the gateway started or its URL changed. `connecting`: it is being ' +
      'opened. `live`: it is streaming. `reachable`: closed because no one is watching, and the last contact ' +
      'succeeded. `offline`: the last contact failed.',
  ),
  sinceMs: nullable(
    int64('When this began, epoch milliseconds; absent: when the gateway first saw the camera.'),
  ),
  offlineSinceMs: nullable(
    int64(
      'Since when it could not be reached, also while the gateway tries it again, epoch milliseconds; absent: the last ' +
        'contact succeeded, or there was none.',
    ),
  ),
  checkedAtMs: nullable(
    int64('When it last responded or failed to, epoch milliseconds; absent: never contacted.'),
  ),
  retryAtMs: nullable(
    int64(
      'When the gateway tries or checks it again, epoch milliseconds; absent: it is not offline, or no try is planned.',
    ),
  ),
  waiting: nullable(
    Type.Object(
      {
        ahead: int32('Streams that get a worker earlier.'),
        running: int32('Workers that are running.'),
        maxWorkers: int32('Most workers that run at the same time.'),
      },
      { description: 'The stream is waiting for an ffmpeg worker; absent: it is not.' },
    ),
  ),
  reason: nullable(oneOf(CAMERA_FAULT_REASONS, 'Why it is offline; absent if it is not.')),
  code: nullable(plainText('The error code.')),
  message: nullable(plainText('The error, in a sentence.')),
  advice: nullable(plainText('What to do about it.')),
  host: nullable(plainText('The host that the gateway tried to reach.')),
  port: nullable(int32('The TCP port.')),
  errno: nullable(
    plainText('The system’s name for the failure, such as `ECONNREFUSED`, `EHOSTUNREACH` or `ENOTFOUND`.'),
  ),
};

export const CONNECTION_DETAIL_SCHEMA = namedType('ConnectionDetail', {
  ...STREAM_CONNECTION_PROPERTIES,
  substream: nullable(Type.Object(STREAM_CONNECTION_PROPERTIES)),
});
export type ConnectionDetail = Static<typeof CONNECTION_DETAIL_SCHEMA>;
type StreamDetail = Omit<ConnectionDetail, 'substream'>;

/** Fields for callers who may not know where a camera is. */
export const NO_PLACE = { host: null, port: null } satisfies Partial<ConnectionDetail>;

export function connectionDetail({ main, sub }: CameraReport): ConnectionDetail {
  return { ...streamDetail(main), substream: sub === null ? null : streamDetail(sub) };
}

function streamDetail(connection: StreamConnection): StreamDetail {
  const { state, sinceEpochMs, checkedAtEpochMs, retryAtEpochMs, fault, waiting = null } = connection;
  return {
    state,
    sinceMs: sinceEpochMs,
    offlineSinceMs: connection.offlineSinceEpochMs ?? null,
    checkedAtMs: checkedAtEpochMs,
    retryAtMs: retryAtEpochMs,
    waiting,
    reason: fault?.reason ?? null,
    code: fault?.code ?? null,
    message: fault?.message ?? null,
    advice: fault === null ? null : adviceFor(fault),
    host: fault?.host ?? null,
    port: fault?.port ?? null,
    errno: fault?.errno ?? null,
  };
}
