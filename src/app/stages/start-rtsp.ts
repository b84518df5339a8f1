/** Where programs read live video by RTSP, if the configuration has an address for it. */

import type { CertificateWatch } from '../../connections/certificate-watch.ts';
import { GatewayError } from '../../core/errors.ts';
import type { HostPort } from '../../core/host-port.ts';
import { DatagramPorts } from '../../front-door/rtsp/datagram-ports.ts';
import { RtspDesk, type RtspDeskOptions } from '../../front-door/rtsp/rtsp-desk.ts';
import { RtspListener } from '../../front-door/rtsp/rtsp-listener.ts';
import { OpeningLog } from '../../front-door/session/opening-log.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type { GatewayOptions } from './gateway-options.ts';

/** What it shares with the listener for HTTP, and where viewers reach that. */
interface DoorParts extends Omit<RtspDeskOptions, 'openingLog' | 'clock'> {
  readonly mediaUrl: string;
}

export interface RtspStage {
  readonly desk: RtspDesk;
  /** Base of the addresses of links. */
  readonly url: string;
}

/** null: RTSP is off. Resolves when clients can connect. Fails with CLI_LISTEN_FAILED. */
export async function startRtsp(
  { config, clock, log }: GatewayOptions,
  { mediaUrl, ...parts }: DoorParts,
  certificate: CertificateWatch | null,
  cleanup: Cleanup,
): Promise<RtspStage | null> {
  const { listen, udpPort, secureListen } = config.rtsp;
  if (listen === null && secureListen === null) return null;
  const desk = new RtspDesk({ ...parts, clock, openingLog: new OpeningLog(clock, log) });
  const datagrams = listen === null || udpPort === null ? null : await bindUdp({ ...listen, port: udpPort });
  if (datagrams !== null) cleanup.add('UDP ports of RTSP', () => datagrams.close());
  const listener = new RtspListener({ desk, clock, datagrams });
  cleanup.add('RTSP listener', () => listener.close());
  const { hostname } = new URL(mediaUrl);
  let url = '';
  const open = async (at: HostPort, how: Promise<number>, scheme: 'rtsp' | 'rtsps'): Promise<void> => {
    const port = await listening(at, how);
    log.info({ host: at.host, port, isTls: scheme === 'rtsps' }, 'listening for RTSP');
    url = `${scheme}://${hostname}:${port}`;
  };
  if (listen !== null) await open(listen, listener.listen(listen), 'rtsp');
  if (secureListen !== null && certificate !== null) {
    await open(secureListen, listener.listenSecurely(secureListen, certificate.current), 'rtsps');
    certificate.onChange((changed) => listener.setCertificate(changed));
  }
  return { desk, url: config.public.rtspUrl ?? url };
}

function bindUdp(at: HostPort): Promise<DatagramPorts> {
  return listening(at, DatagramPorts.bind(at));
}

async function listening<T>({ host, port }: HostPort, how: Promise<T>): Promise<T> {
  try {
    return await how;
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host, port }, cause);
  }
}
