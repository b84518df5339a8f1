/** POST /api/camera/createPreviewGrant: watch a camera for some minutes without a share. */

import { Type } from 'typebox';
import { actingPrincipal } from '../../audit/acting-principal.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, int64, nullable, plainText, text } from '../../http/fields/field-types.ts';
import { DEVICE_GRANT_CHARS } from '../../sharing/device-grant.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const EXAMPLE_GRANT = 'A'.repeat(DEVICE_GRANT_CHARS);

export const createPreviewGrant = defineEndpoint({
  path: '/api/camera/createPreviewGrant',
  summary: 'Lets the caller watch a camera for ten minutes without a share.',
  description:
    'Returns a page and the addresses that it plays. Whoever has them can watch, with audio, until `endsAtMs`; send ' +
    '`grant` again before that, and the same addresses go on for ten minutes more. They end with the key of the ' +
    'caller, and with the camera, within a second. Only pages of the API’s own origin can frame the page. An ' +
    'application with an access token cannot call this. The view is in the audit feed as `VIEW_CAMERA_LIVE`.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    grant: Type.Optional(
      text('The grant of a preview of this camera that the same key created. Default: a new one.', 128),
    ),
  }),
  response: {
    grant: plainText('Send it to extend the preview.'),
    pageUrl: plainText('A page that plays the camera, for a tab or a frame.'),
    playlistUrl: plainText('The same as HLS.'),
    webSocketUrl: plainText('The video over WebSocket.'),
    substreamWebSocketUrl: nullable(plainText('The substream over WebSocket; absent if there is none.')),
    endsAtMs: int64('When it ends.'),
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: {
      grant: EXAMPLE_GRANT,
      pageUrl: `http://media.example/preview#${EXAMPLE_GRANT}`,
      playlistUrl: `http://media.example/live/${EXAMPLE_GRANT}/file.m3u8`,
      webSocketUrl: `ws://media.example/live/${EXAMPLE_GRANT}/ws`,
      substreamWebSocketUrl: null,
      endsAtMs: EXAMPLE_TIME_MS,
    },
  },
  async handler({ caller, services }, { cameraUuid, grant = null }) {
    const preview = await services.devicePreviews.open(caller, cameraUuid, grant, actingPrincipal());
    return {
      grant: preview.grantText,
      pageUrl: preview.pageUrl,
      playlistUrl: preview.playlistUrl,
      webSocketUrl: preview.socketUrl,
      substreamWebSocketUrl: preview.subSocketUrl,
      endsAtMs: preview.endsAtEpochMs,
    };
  },
});
