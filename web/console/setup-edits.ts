/** The settings that let others in, for each way in which a gateway gets a public address with TLS. Pure. */

export interface Edit {
  readonly path: string;
  readonly action: 'SET' | 'UNSET' | 'RESET';
  readonly value?: string;
}

/** `proxy`: a proxy on this machine has the certificate. `acme`: the gateway gets it from Let’s Encrypt. `files`: it reads it from files. */
export type SetupWay = 'proxy' | 'acme' | 'files';

export interface PublicSetup {
  readonly way: SetupWay;
  /** Host name of links. */
  readonly mediaHost: string;
  /** With a proxy: host name of the console; empty: only this network. */
  readonly apiHost: string;
  /** With files: their paths on the gateway's machine. */
  readonly cert: string;
  readonly key: string;
  /** With Let’s Encrypt: where it can reach the installer; empty: nowhere. */
  readonly email: string;
}

const set = (path: string, value: string): Edit => ({ path, action: 'SET', value });
const unset = (path: string): Edit => ({ path, action: 'UNSET' });

/** Everything that the way needs, and nothing of the others. */
export function setupEdits({ way, mediaHost, apiHost, cert, key, email }: PublicSetup): readonly Edit[] {
  const url = set('public.mediaUrl', `https://${mediaHost}`);
  switch (way) {
    case 'proxy':
      return [
        url,
        ...(apiHost === '' ? [] : [set('public.apiUrl', `https://${apiHost}`)]),
        set('trustProxy', '127.0.0.1'),
      ];
    case 'acme':
      return [
        url,
        set('listen.media', '0.0.0.0:443'),
        unset('tls.media.cert'),
        unset('tls.media.key'),
        set('tls.media.acme', 'true'),
        set('tls.acme.domains', mediaHost),
        set('tls.acme.termsAgreed', 'true'),
        ...(email === '' ? [] : [set('tls.acme.email', email)]),
      ];
    case 'files':
      return [
        url,
        set('listen.media', '0.0.0.0:443'),
        set('tls.media.acme', 'false'),
        set('tls.acme.domains', ''),
        set('tls.media.cert', cert),
        set('tls.media.key', key),
      ];
  }
}
