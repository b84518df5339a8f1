/** Advice for people whose camera does not stream. */

import type { CameraFault, CameraFaultReason } from './camera-fault.ts';

const BY_REASON: Readonly<Record<CameraFaultReason, string>> = {
  unreachable:
    'Check the address, the port and the cable, and whether a firewall lets the gateway reach the camera.',
  'tls-failed':
    'Check what tls requires: a certificate that the camera signed itself needs any, or its fingerprint.',
  'wrong-password':
    'Check the user name and the password. Cameras lock an account after several wrong ones: wait some minutes before you try again.',
  'login-unsupported': 'Turn on Digest or Basic authentication for RTSP in the camera.',
  'wrong-path':
    'Check the path of the address: it differs by vendor and by firmware. If the camera has ONVIF, let the gateway ask it.',
  busy: 'Close other programs that watch the camera, or raise the number of connections that it allows.',
  refused: 'Check what the user may do in the camera, and look at its log.',
  'not-allowed':
    'The gateway refused, not the camera. Change the address, or let an administrator change the rule.',
  unsupported: 'Set the camera to H.264 or H.265, and let it send by TCP.',
  silent: 'Restart the camera, and set transport to tcp.',
  frozen: 'Restart the camera, and update its firmware.',
  flood: 'Lower the bit rate of the camera.',
  disconnected: 'Check the power and the network of the camera. It may be restarting.',
  protocol: 'Update the firmware of the camera, or set engine to ffmpeg.',
  'no-worker': 'Set the camera to H.264 and AAC, or raise ffmpeg.maxWorkers.',
  gateway: 'Look at the log of the gateway: the camera is not the cause.',
};

/** Where the reason alone would mislead. */
const BY_CODE: Readonly<Record<string, string>> = {
  DIRECT_ADDRESS_REFUSED:
    'Cameras on the machine of the gateway and at link-local addresses need sources.allowLocal, or the configuration file.',
  DIRECT_OUTSIDE_ORGANIZATION_NETWORKS:
    'Check the address, or let an administrator add its network with org/updateCameraNetworks.',
  DIRECT_OUTSIDE_OPERATOR_NETWORKS:
    'Check the address, or let the operator of the gateway add its network to sources.networks, or declare the camera in the configuration file.',
  RTMP_NO_PUBLISHER: 'Check that the device is on, and that it pushes with the publish key of the camera.',
  RTMP_UNSUPPORTED_VIDEO: 'Set the device to H.264 or H.265.',
  RTMP_NO_PARAMETER_SETS:
    'Set the device to repeat its parameter sets (SPS and PPS) before each key frame, or update its firmware.',
  RTMP_KEY_IN_USE: 'Turn off the other device, or create a key for each device.',
  RTMP_TOO_MANY_TRIES: 'Check the publish key of the device, and wait some minutes.',
  FFMPEG_TLS_UNVERIFIED: 'Set engine to direct, or tls to any.',
  RTMP_NO_KEY: 'Create a publish key for the camera, and give it to the device.',
};

const NO_ROUTE =
  'The gateway has no route to this address. Check the address, and whether the camera is in a network that the gateway reaches.';
const NO_RESPONSE =
  'Nothing responds at this address. Check the power and the cable of the camera, its address, and whether a firewall is in between.';
const NO_NAME = 'No name server knows this name. Check its spelling, or use the IP address of the camera.';

/** Why a camera cannot be reached, where the operating system knows. */
const BY_ERRNO: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'The device responds, but nothing accepts connections at this port. Check the port, and turn on RTSP in the camera.',
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ETIMEDOUT: NO_RESPONSE,
  EHOSTDOWN: NO_RESPONSE,
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
};

/** A sentence or two, for the page and the responses that show the fault: the exact cause if it is known. */
export function adviceFor({ code, reason, errno }: Pick<CameraFault, 'code' | 'reason' | 'errno'>): string {
  const exact = reason === 'unreachable' && errno !== null ? BY_ERRNO[errno] : undefined;
  return BY_CODE[code] ?? exact ?? BY_REASON[reason];
}
