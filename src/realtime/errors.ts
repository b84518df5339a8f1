/** Error codes of the real-time stream. A client reads them in the ERROR frame that ends its connection. */

import { defineErrors } from '../core/errors.ts';

export const REALTIME_ERRORS = defineErrors({
  WEBSOCKET_EXPECTED: {
    kind: 'invalid-input',
    message: 'This is the real-time stream. Connect to it with a WebSocket.',
  },
  STOMP_MALFORMED_FRAME: {
    kind: 'invalid-input',
    message: 'The data is not a valid STOMP 1.2 frame.',
  },
  STOMP_FRAME_TOO_LARGE: {
    kind: 'limit',
    message: 'The frame is too large, or its headers are too many or too long.',
  },
  STOMP_VERSION_UNSUPPORTED: {
    kind: 'invalid-input',
    message: 'Only STOMP 1.2 is supported. Include it in accept-version.',
  },
  STOMP_NOT_CONNECTED: {
    kind: 'invalid-input',
    message: 'The first frame must be CONNECT or STOMP.',
  },
  STOMP_ALREADY_CONNECTED: { kind: 'invalid-input', message: 'The connection is already open.' },
  STOMP_CONNECT_TIMED_OUT: { kind: 'timeout', message: 'No CONNECT frame arrived in time.' },
  STOMP_HEADER_MISSING: { kind: 'invalid-input', message: 'The frame is missing a required header.' },
  STOMP_HEADER_INVALID: {
    kind: 'invalid-input',
    message: 'A header of the frame has an invalid value.',
  },
  STOMP_COMMAND_UNSUPPORTED: {
    kind: 'invalid-input',
    message: 'This command is not supported. The stream is read-only and has no acknowledgments.',
  },
  STOMP_HEART_BEAT_MISSED: {
    kind: 'timeout',
    message: 'The client sent nothing for twice the time that it promised.',
  },
  TOPIC_NOT_ALLOWED: {
    kind: 'not-allowed',
    message: 'You can subscribe only to /topic/change/ with the UUID of your own organization.',
  },
  SUBSCRIPTION_ID_TAKEN: {
    kind: 'conflict',
    message: 'The connection already has a subscription with this ID.',
  },
  SUBSCRIPTION_UNKNOWN: { kind: 'not-found', message: 'The connection has no subscription with this ID.' },
  TOO_MANY_SUBSCRIPTIONS: {
    kind: 'limit',
    message: 'The connection has reached its limit of subscriptions.',
  },
  TOO_MANY_REALTIME_SESSIONS: {
    kind: 'limit',
    message: 'The organization or the gateway has reached its limit of real-time connections.',
  },
  REALTIME_CLIENT_TOO_SLOW: {
    kind: 'limit',
    message: 'The client read more slowly than changes came in, and was disconnected without an ERROR frame.',
  },
  REALTIME_CHANGES_MISSED: {
    kind: 'unavailable',
    message:
      'The gateway missed changes: of other gateways, or because too many viewers came and left at the same time. Connect again, and read what you show.',
  },
  REALTIME_ACCESS_ENDED: {
    kind: 'unauthenticated',
    message: 'The key or access token of the connection is no longer valid.',
  },
});
