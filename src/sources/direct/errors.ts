/** Error codes of the direct RTSP source's connection; those of the protocols are RTSP_… and SDP_…. */

import { defineErrors } from '../../core/errors.ts';

export const DIRECT_ERRORS = defineErrors({
  DIRECT_BAD_URL: { kind: 'invalid-input', message: "The camera's URL is not an rtsp:// or rtsps:// URL." },
  DIRECT_UNREACHABLE: { kind: 'unavailable', message: 'The camera cannot be reached.' },
  DIRECT_ADDRESS_REFUSED: {
    kind: 'not-allowed',
    message:
      'The address is on this machine or link-local. Declare the camera in sluice.yaml, or set sources.allowLocal.',
  },
  DIRECT_CONNECT_TIMEOUT: { kind: 'timeout', message: 'The camera did not accept a connection in time.' },
  DIRECT_TLS_FAILED: {
    kind: 'peer-protocol',
    message: 'The TLS handshake with the camera failed.',
  },
  DIRECT_DISCONNECTED: { kind: 'unavailable', message: 'The camera closed the connection.' },
  DIRECT_SILENT: { kind: 'timeout', message: 'The camera stopped sending media.' },
  DIRECT_BACKLOG: { kind: 'limit', message: 'The camera does not read what the gateway sends.' },
  DIRECT_FLOOD: { kind: 'limit', message: 'The camera sends far more than a camera needs to.' },
  DIRECT_UDP_FAILED: { kind: 'unavailable', message: 'No pair of UDP ports could be opened for the camera.' },
});
