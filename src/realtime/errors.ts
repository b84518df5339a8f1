/** Error codes of the real-time stream. A client reads them in the ERROR frame that ends its connection. */

import { defineErrors } from '../core/errors.ts';

export const REALTIME_ERRORS = defineErrors({
  WEBSOCKET_EXPECTED: {
    kind: 'invalid-input',
    message: 'This is the real-time stream: connect to it with a WebSocket.',
  },
  STOMP_MALFORMED_FRAME: {
    kind: 'invalid-input',
    message: 'What was sent is not a STOMP 1.2 frame.',
  },
  STOMP_FRAME_TOO_LARGE: {
    kind: 'limit',
    message: 'The frame is larger, or has more or longer headers, than is taken.',
  },
  STOMP_VERSION_UNSUPPORTED: {
    kind: 'invalid-input',
    message: 'Only STOMP 1.2 is spoken here: name it in accept-version.',
  },
  STOMP_NOT_CONNECTED: {
    kind: 'invalid-input',
    message: 'The first frame must be CONNECT or STOMP.',
  },
  STOMP_ALREADY_CONNECTED: { kind: 'invalid-input', message: 'The connection has been opened already.' },
  STOMP_CONNECT_TIMED_OUT: { kind: 'timeout', message: 'No CONNECT frame came in time.' },
  STOMP_HEADER_MISSING: { kind: 'invalid-input', message: 'The frame lacks a header that it must have.' },
  STOMP_HEADER_INVALID: {
    kind: 'invalid-input',
    message: 'A header of the frame has a value that is not taken.',
  },
  STOMP_COMMAND_UNSUPPORTED: {
    kind: 'invalid-input',
    message: 'This command is not supported: the stream is for reading only, without acknowledgements.',
  },
  STOMP_HEART_BEAT_MISSED: {
    kind: 'timeout',
    message: 'The client sent nothing for twice the time it had promised.',
  },
  TOPIC_NOT_ALLOWED: {
    kind: 'not-allowed',
    message: "Only /topic/change/ with the UUID of the caller's own organisation may be subscribed to.",
  },
  SUBSCRIPTION_ID_TAKEN: {
    kind: 'conflict',
    message: 'The connection has a subscription with this id already.',
  },
  SUBSCRIPTION_UNKNOWN: { kind: 'not-found', message: 'The connection has no subscription with this id.' },
  TOO_MANY_SUBSCRIPTIONS: {
    kind: 'limit',
    message: 'The connection has as many subscriptions as it may have.',
  },
  TOO_MANY_REALTIME_SESSIONS: {
    kind: 'limit',
    message: 'The organisation, or the gateway, has as many real-time connections as it may have.',
  },
  REALTIME_CLIENT_TOO_SLOW: {
    kind: 'limit',
    message: 'The client read more slowly than things changed, and was cut off without a word.',
  },
  REALTIME_ACCESS_ENDED: {
    kind: 'unauthenticated',
    message: 'The key or access token of the connection is no longer valid.',
  },
});
