/** Whether the public URL answers, as the gateway and a phone see it, and what that means in words. */

import { type Answer, call } from './api.ts';
import { linkReach } from './media-addresses.ts';
import { t } from './words.ts';

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
        sentence:
          arrival === undefined
            ? t('The gateway reached itself at {host}.', { host })
            : t('The gateway reached itself at {host}, {route}.', { host, route: routeText(arrival) }),
        whatToDo: '',
      };
    case 'other-gateway':
      return bad(
        t('Sluice answered at {host}, but not this gateway.', { host }),
        t('If you run several, this is fine. Otherwise the address leads to another installation.'),
      );
    case 'dns':
      return bad(
        t('DNS does not know {hostname}{named}.', { hostname, named }),
        t('Add a DNS record for it, or correct the public address of links.'),
      );
    case 'refused':
      return bad(
        t('Nothing listens at {host}{named}.', { host, named }),
        t('Start the proxy, or forward the port to it.'),
      );
    case 'unreachable':
      return bad(
        t('There is no route to {host}{named}.', { host, named }),
        t('Check the address and the network of this machine.'),
      );
    case 'timeout':
      return bad(
        t('{host} did not answer in time.', { host }),
        t(
          'A firewall may drop the connection. Some routers also do not lead back in from inside: try the phone.',
        ),
      );
    case 'tls-name':
      return bad(
        t('The TLS certificate at {host} is for another name{named}.', { host, named }),
        t('Get a certificate for {hostname}, or check which server answers.', { hostname }),
      );
    case 'tls-certificate':
      return bad(
        t('The TLS certificate at {host} is not trusted{named}.', { host, named }),
        t('It may have expired, be self-signed, or lack the intermediate certificate.'),
      );
    case 'tls':
      return bad(
        t('TLS with {host} failed{named}.', { host, named }),
        t('The port may speak plain HTTP, or an old version of TLS.'),
      );
    case 'closed':
      return bad(
        t('{host} closed the connection{named}.', { host, named }),
        t('Look at the log of the proxy.'),
      );
    case 'redirected':
      return bad(
        detail === ''
          ? t('{host} redirects, status {status}.', { host, status: status ?? '' })
          : t('{host} redirects to {target}, status {status}.', {
              host,
              target: detail,
              status: status ?? '',
            }),
        t('Set the public address of links to the final one. Links should work without a redirect.'),
      );
    case 'other-page':
      return bad(
        status === undefined
          ? t('Another page answered at {host}{named}.', { host, named })
          : t('Another page answered at {host}, status {status}{named}.', { host, status, named }),
        t('The proxy must pass every path to the address of links.'),
      );
    default:
      return bad(
        t('The request to {host} failed{named}.', { host, named }),
        t('Look at the log of the gateway.'),
      );
  }
}

/** Names the people who can open links, by the address of the public URL; null: everyone, or not known. */
export function reachText({ publicUrl, reach, addresses }: PublicUrlReport): string | null {
  const { hostname } = new URL(publicUrl);
  // The step says so in the first place.
  if (linkReach(publicUrl) === 'this-machine') return null;
  const at = addresses.includes(hostname) ? hostname : `${hostname} (${addresses.join(', ')})`;
  if (reach === 'this-machine') {
    return t(
      'On this machine, {at} leads to this machine itself. Others may get another address: a test with a phone shows it.',
      { at },
    );
  }
  if (reach === 'own-network') {
    return t('{at} is a private address: only devices in your own network can open links.', { at });
  }
  return null;
}

/** As in "through the proxy 127.0.0.1 (x-forwarded-for)". */
export function routeText({ address, peerAddress, proxyHeaders }: PublicUrlVisit): string {
  if (address !== peerAddress)
    return t('through the proxy {peerAddress} ({proxyHeaders})', {
      peerAddress,
      proxyHeaders: proxyHeaders.join(', '),
    });
  if (proxyHeaders.length === 0) return t('without a proxy');
  return t(
    'through a proxy at {peerAddress} that trustProxy does not name, so all viewers seem to have its address ({proxyHeaders})',
    { peerAddress, proxyHeaders: proxyHeaders.join(', ') },
  );
}
