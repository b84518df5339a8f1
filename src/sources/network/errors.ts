/** Error codes of the direct RTSP source's connection; those of the protocols are RTSP_… and SDP_…. */

import { defineErrors } from '../../core/errors.ts';

export const DIRECT_ERRORS = defineErrors({
  DIRECT_BAD_URL: {
    kind: 'invalid-input',
    message: "The camera's URL does not begin with rtsp://, rtsps://, rtsp+http:// or rtsp+https://.",
  },
  DIRECT_UNREACHABLE: { kind: 'unavailable', message: 'The camera cannot be reached.' },
  DIRECT_ADDRESS_REFUSED: {
    kind: 'not-allowed',
    message:
      'The address is on this machine or link-local. Declare the camera in sluice.yaml, or set sources.allowLocal.',
  },
  DIRECT_OUTSIDE_ORGANIZATION_NETWORKS: {
    kind: 'not-allowed',
    message: 'The address is outside the networks in which the organization’s cameras may be.',
  },
  DIRECT_OUTSIDE_OPERATOR_NETWORKS: {
    kind: 'not-allowed',
    message: 'The address is outside the networks in which sources.networks allows cameras.',
  },
  DIRECT_CONNECT_TIMEOUT: { kind: 'timeout', message: 'The camera did not accept a connection in time.' },
  DIRECT_TLS_FAILED: {
    kind: 'peer-protocol',
    message: 'The TLS handshake with the camera failed.',
  },
  DIRECT_TLS_OUTDATED: {
    kind: 'peer-protocol',
    message:
      'The camera offers no TLS 1.2, or only ciphers that are broken. Update its firmware, or use it without encryption.',
  },
  DIRECT_CERTIFICATE_REFUSED: {
    kind: 'not-allowed',
    message: 'The camera’s certificate is not what its tls setting requires.',
  },
  DIRECT_DISCONNECTED: { kind: 'unavailable', message: 'The camera closed the connection.' },
  DIRECT_SILENT: { kind: 'timeout', message: 'The camera stopped sending media.' },
  DIRECT_BACKLOG: { kind: 'limit', message: 'The camera does not read what the gateway sends.' },
  DIRECT_FLOOD: { kind: 'limit', message: 'The camera sends far more than a camera needs to.' },
  DIRECT_NO_KEY_FRAMES: {
    kind: 'peer-refused',
    message:
      'The video refreshes gradually and has no key frames, which players cannot begin with. Turn off intra refresh, or use engine auto.',
  },
  DIRECT_MULTICAST_FAILED: {
    kind: 'unavailable',
    message: 'The camera’s multicast group could not be joined.',
  },
  DIRECT_UDP_FAILED: { kind: 'unavailable', message: 'No pair of UDP ports could be opened for the camera.' },
});
