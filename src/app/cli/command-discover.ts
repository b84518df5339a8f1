/** `sluice discover`: which ONVIF cameras there are, and where their streams are. */

import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { systemClock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { Secret } from '../../core/secret.ts';
import { inspectOnvifDevice } from '../../devices/onvif/onvif-device.ts';
import { type DiscoveredDevice, discoverOnvifDevices } from '../../devices/onvif/ws-discovery.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';
import { ONVIF_SERVICE_PATH } from '../../onvif/onvif-service.ts';
import type { OnvifLogin } from '../../onvif/soap.ts';
import { parseTlsTrust, type TlsTrust } from '../../sources/network/tls-trust.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import { describeOnvifCamera, type FoundCamera } from './describe-onvif-camera.ts';
import { integerOption, listenOption, optionError } from './option-values.ts';

const HELP = `sluice discover: find ONVIF cameras, and say where their streams are

  sluice discover [options] [ADDRESS …]

Without addresses, asks the networks of this machine which cameras there are (WS-Discovery, UDP port 3702). An ADDRESS
is a host, HOST:PORT, or the URL of a camera's ONVIF service; it is asked directly, which also works across routers.
Prints the name, model and address of each camera, and for each of its profiles the codec, size and URL. Most cameras
say that only after a login.

The exit code is 1 if no camera was found, or if one that you named did not answer.

Options
  --user NAME           log in; the password is in SLUICE_CAMERA_PASSWORD or in --password-file
  --password-file FILE  file with the password
  --tls TRUST           what the certificate of an https address must prove: any (default), verify, or sha256:…
  --wait SECONDS        how long to wait for cameras on the network (default 3)
  --timeout SECONDS     longest conversation with one camera (default 10)
  --to HOST:PORT        send the probe there instead of to the multicast group
  --json                one line of JSON for each camera

Example
  SLUICE_CAMERA_PASSWORD=… sluice discover --user admin
  sluice discover --user admin --password-file camera.password 192.0.2.10 192.0.2.11:8000
`;

const OPTIONS = {
  config: { type: 'string' },
  user: { type: 'string' },
  'password-file': { type: 'string' },
  tls: { type: 'string', default: 'any' },
  wait: { type: 'string', default: '3' },
  timeout: { type: 'string', default: '10' },
  to: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** Cameras asked at the same time. */
const MAX_REQUESTED_TOGETHER = 8;
/** More are a mistake. */
const MAX_ADDRESSES = 1_000;

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseOptions('discover', args, OPTIONS, 'some');
  const tls = parseTlsTrust(values.tls);
  if (tls === null) throw optionError('--tls', values.tls, 'any, verify, or sha256: and a fingerprint');
  const waitMs = integerOption('--wait', values.wait, 1, 60) * 1_000;
  const timeoutMs = integerOption('--timeout', values.timeout, 1, 120) * 1_000;
  const [address, port] = values.to === undefined ? [] : listenOption(values.to, '--to');
  const login = loginOption(values.user, values['password-file']);
  const named = positionals.map(serviceOption);
  if (named.length > MAX_ADDRESSES)
    throw optionError('ADDRESS', `${named.length}`, `at most ${MAX_ADDRESSES}`);
  // Sockets of cameras that may be gone, and unreferenced timers: something must keep the process alive.
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  try {
    const targets = address === undefined || port === undefined ? [] : [{ address, port }];
    const found: FoundCamera['found'][] =
      named.length > 0
        ? named.map((service) => ({ service, name: null, hardware: null }))
        : byAddress(await discoverOnvifDevices({ clock: systemClock, waitMs, targets }));
    const isComplete = await askAll(found, { login, tls, timeoutMs, isJson: values.json });
    if (found.length === 0 && !values.json)
      process.stdout.write(`No camera responded within ${waitMs / 1_000} s.\n`);
    return found.length > 0 && (isComplete || named.length === 0) ? 0 : 1;
  } finally {
    clearInterval(keepAlive);
  }
}

/** The password is never on the command line, which everyone on the machine can read. */
function loginOption(username: string | undefined, file: string | undefined): OnvifLogin | null {
  if (username === undefined) {
    if (file !== undefined) throw optionError('--password-file', file, '--user as well');
    return null;
  }
  const password = file === undefined ? process.env.SLUICE_CAMERA_PASSWORD : passwordIn(file);
  if (password === undefined) {
    throw optionError(
      '--user',
      username,
      'SLUICE_CAMERA_PASSWORD in the environment, or --password-file, as well',
    );
  }
  return { username, password: new Secret(password) };
}

function passwordIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (thrown) {
    const { code = 'unknown' } = thrown as NodeJS.ErrnoException;
    throw optionError('--password-file', file, `a file that can be read (${code})`);
  }
}

/** A host alone means the usual path on port 80. */
function serviceOption(text: string): URL {
  const host = isIPv6(text) ? `[${text}]` : text;
  const url = /^https?:\/\//i.test(text) ? text : `http://${host}${ONVIF_SERVICE_PATH}`;
  const service = URL.canParse(url) ? new URL(url) : null;
  if (service === null || service.username !== '' || service.password !== '') {
    // It is not repeated: it may contain a password.
    throw optionError('ADDRESS', '…', 'a host, HOST:PORT, or an http URL without user info');
  }
  if (service.pathname === '/') service.pathname = ONVIF_SERVICE_PATH;
  return service;
}

function byAddress(found: readonly DiscoveredDevice[]): DiscoveredDevice[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return found.toSorted((a, b) => compare(a.service.host, b.service.host));
}

interface Asking {
  readonly login: OnvifLogin | null;
  readonly tls: TlsTrust;
  readonly timeoutMs: number;
  readonly isJson: boolean;
}

/** Prints each camera, in order, as soon as those before it are printed; returns whether all answered. */
async function askAll(found: readonly FoundCamera['found'][], asking: Asking): Promise<boolean> {
  const queue = found.entries();
  const texts: string[] = [];
  let printed = 0;
  let isComplete = true;
  const worker = async (): Promise<void> => {
    for (const [index, camera] of queue) {
      const requested = await ask(camera, asking);
      if (requested.failure !== null) isComplete = false;
      texts[index] = asking.isJson
        ? `${JSON.stringify(jsonOf(requested))}\n`
        : describeOnvifCamera(requested);
      for (let text = texts[printed]; text !== undefined; text = texts[++printed]) process.stdout.write(text);
    }
  };
  await Promise.all(Array.from({ length: MAX_REQUESTED_TOGETHER }, worker));
  return isComplete;
}

async function ask(found: FoundCamera['found'], { login, tls, timeoutMs }: Asking): Promise<FoundCamera> {
  try {
    const options = { clock: systemClock, timeoutMs, login, tls, hasSnapshots: true };
    return { found, device: await inspectOnvifDevice(found.service, options), failure: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.kind === 'internal') throw thrown;
    return { found, device: null, failure: thrown };
  }
}

function jsonOf({ found, device, failure }: FoundCamera): object {
  const { service, name, hardware } = found;
  const isLocked = failure?.code === ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED.code;
  const error =
    failure === null ? null : { code: failure.code, message: failure.message, ...failure.context };
  return { service: service.href, name, hardware, ...device, needsLogin: isLocked, error };
}

export const discoverCommand: Command = { help: HELP, run };
