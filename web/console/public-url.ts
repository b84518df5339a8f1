/** Whether the public URL answers, as the gateway and a phone see it, and what that means in words. */

import { type Answer, call } from './api.ts';

export type AddressReach = 'this-machine' | 'own-network' | 'everyone' | 'unknown';

export type PublicUrlVisit = Answer<'console/getPublicUrlVisits'>['visits'][number];

export type PublicUrlReport = Answer<'console/validatePublicUrl'>;

export type PublicUrlCheck = Answer<'console/createPublicUrlCheck'>;

/** The gateway asks its own public URL. */
export function testPublicUrl(signal: AbortSignal): Promise<PublicUrlReport> {
  return call('console/validatePublicUrl', {}, signal);
}

export function openPublicUrlCheck(): Promise<PublicUrlCheck> {
  return call('console/createPublicUrlCheck');
}

/** The last one first. Fails with a CallError of status 404 when the check has ended. */
export async function readVisits(checkId: string, signal: AbortSignal): Promise<readonly PublicUrlVisit[]> {
  const { visits } = await call('console/getPublicUrlVisits', { checkId }, signal);
  return visits;
}

interface Finding {
  readonly isGood: boolean;
  readonly sentence: string;
  readonly whatToDo: string;
}

/** The result of the gateway's own request. */
export function findingOf({ publicUrl, result, detail, status, arrival }: PublicUrlReport): Finding {
  const { host, hostname } = new URL(publicUrl);
  const bad = (sentence: string, whatToDo: string): Finding => ({ isGood: false, sentence, whatToDo });
  const named = detail === '' ? '' : ` (${detail})`;
  switch (result) {
    case 'works':
      return {
        isGood: true,
        sentence: `The gateway reached itself at ${host}${arrival === undefined ? '' : `, ${routeText(arrival)}`}.`,
        whatToDo: '',
      };
    case 'other-gateway':
      return bad(
        `Sluice answered at ${host}, but not this gateway.`,
        'If you run several, this is fine. Otherwise the address leads to another installation.',
      );
    case 'dns':
      return bad(
        `DNS does not know ${hostname}${named}.`,
        'Add a DNS record for it, or correct public.mediaUrl.',
      );
    case 'refused':
      return bad(`Nothing listens at ${host}${named}.`, 'Start the proxy, or forward the port to it.');
    case 'unreachable':
      return bad(
        `There is no route to ${host}${named}.`,
        'Check the address and the network of this machine.',
      );
    case 'timeout':
      return bad(
        `${host} did not answer in time.`,
        'A firewall may drop the connection. Some routers also do not lead back in from inside: try the phone.',
      );
    case 'tls-name':
      return bad(
        `The TLS certificate at ${host} is for another name${named}.`,
        `Get a certificate for ${hostname}, or check which server answers.`,
      );
    case 'tls-certificate':
      return bad(
        `The TLS certificate at ${host} is not trusted${named}.`,
        'It may have expired, be self-signed, or lack the intermediate certificate.',
      );
    case 'tls':
      return bad(
        `TLS with ${host} failed${named}.`,
        'The port may speak plain HTTP, or an old version of TLS.',
      );
    case 'closed':
      return bad(`${host} closed the connection${named}.`, 'Look at the log of the proxy.');
    case 'redirected':
      return bad(
        `${host} redirects${detail === '' ? '' : ` to ${detail}`}, status ${status}.`,
        'Set public.mediaUrl to the final address. Links should work without a redirect.',
      );
    case 'other-page':
      return bad(
        `Another page answered at ${host}${status === undefined ? '' : `, status ${status}`}${named}.`,
        'The proxy must pass every path to the media listener.',
      );
    default:
      return bad(`The request to ${host} failed${named}.`, 'Look at the log of the gateway.');
  }
}

/** Names the people who can open links, by the address of the public URL; null: everyone, or not known. */
export function reachText({ publicUrl, reach, addresses }: PublicUrlReport): string | null {
  const { hostname } = new URL(publicUrl);
  const at = addresses.includes(hostname) ? hostname : `${hostname} (${addresses.join(', ')})`;
  if (reach === 'this-machine') {
    return `${at} is a loopback address: only this machine can open links. Set public.mediaUrl to an address that others reach; the next step has the lines.`;
  }
  if (reach === 'own-network') {
    return `${at} is a private address: only devices in your own network can open links.`;
  }
  return null;
}

/** As in "through the proxy 127.0.0.1 (x-forwarded-for)". */
export function routeText({ address, peerAddress, proxyHeaders }: PublicUrlVisit): string {
  if (address !== peerAddress) return `through the proxy ${peerAddress} (${proxyHeaders.join(', ')})`;
  if (proxyHeaders.length === 0) return 'without a proxy';
  return (
    `through a proxy at ${peerAddress} that trustProxy does not name, so all viewers seem to have its address ` +
    `(${proxyHeaders.join(', ')})`
  );
}
