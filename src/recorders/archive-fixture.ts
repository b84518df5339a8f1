/** A channel on a recorder, and the web server of one, for tests. */

import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import { ANYWHERE } from '../sources/network/camera-address.ts';
import type { RecorderCall, RecorderText } from './recorder-http.ts';
import type { RecordedChannel, RecorderKind } from './recorder-settings.ts';

export const NOW_MS = Date.UTC(2024, 0, 31, 12, 0, 0);

export function testClock(): FakeClock {
  return new FakeClock(NOW_MS);
}

export function testChannel(
  kind: RecorderKind,
  more: { readonly orgUuid?: Ruuid; readonly recorderUuid?: Ruuid; readonly maxSessions?: number } = {},
): RecordedChannel {
  return {
    recorder: { uuid: more.recorderUuid ?? newRuuid(), kind, maxSessions: more.maxSessions ?? 1 },
    cameraUuid: newRuuid(),
    orgUuid: more.orgUuid ?? newRuuid(),
    rtspUrl: new CredentialUrl('rtsp://admin:secret@192.0.2.20:554/Streaming/Channels/301'),
    httpUrl: new CredentialUrl('http://admin:secret@192.0.2.20/'),
    channel: 3,
    tls: 'any',
    addressRule: ANYWHERE,
  };
}

/** Responds with what `respond` returns; an error is thrown. */
export function fakeHttp(respond: (call: RecorderCall) => string | Error) {
  const calls: RecorderCall[] = [];
  return {
    calls,
    call: async (call: RecorderCall): Promise<RecorderText> => {
      calls.push(call);
      const text = respond(call);
      if (text instanceof Error) throw text;
      return { text, dateMs: null };
    },
  };
}

export const NEVER_ABORTED = new AbortController().signal;
