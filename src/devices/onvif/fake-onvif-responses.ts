/** The SOAP responses of a fake ONVIF camera, for tests: envelopes around their parts. */

/** A profile and what its stream is. */
export interface FakeProfile {
  /** As the camera writes it, escaped. */
  readonly uri: string;
  /** Default: H264. */
  readonly encoding?: string;
  readonly size?: readonly [widthPx: number, heightPx: number];
  /** Lens or channel. */
  readonly source?: string;
  /** The name of the configuration of that lens or channel. */
  readonly sourceName?: string;
  readonly snapshotUri?: string;
}

export interface FakeResponse {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function soap(body: string): string {
  return (
    '<?xml version="1.0"?><e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope" xmlns:t="t">' +
    `<e:Header/><e:Body>${body}</e:Body></e:Envelope>`
  );
}

export function ok(operation: string, fields: string): FakeResponse {
  return { status: 200, text: soap(`<t:${operation}Response>${fields}</t:${operation}Response>`) };
}

/** Subcodes are nested, as ONVIF Core §5.8.2 shows them. */
export function fault(status: number, codes: readonly string[], reason = ''): FakeResponse {
  const nested = codes.reduceRight(
    (inner, code) => `<e:Subcode><e:Value>ter:${code}</e:Value>${inner}</e:Subcode>`,
    '',
  );
  const text = reason === '' ? '' : `<e:Reason><e:Text xml:lang="en">${reason}</e:Text></e:Reason>`;
  return {
    status,
    text: soap(`<e:Fault><e:Code><e:Value>e:Sender</e:Value>${nested}</e:Code>${text}</e:Fault>`),
  };
}

export const NOT_AUTHORIZED: FakeResponse = fault(400, ['NotAuthorized']);
export const NOT_SUPPORTED: FakeResponse = fault(500, ['ActionNotSupported', 'InvalidOperation']);

export function mediaProfile(
  token: string,
  profile: FakeProfile,
  hidesEncoder: boolean,
  canMove: boolean,
): string {
  const encoder = `<t:VideoEncoderConfiguration>${encoderOf(profile)}</t:VideoEncoderConfiguration>`;
  return (
    `<t:Profiles token="${token}"><t:Name>${token}</t:Name><t:VideoSourceConfiguration token="${configOf(profile)}">${sourceOf(profile)}` +
    `</t:VideoSourceConfiguration>${hidesEncoder ? '' : encoder}${canMove ? ptzOf('PTZConfiguration') : ''}</t:Profiles>`
  );
}

export function media2Profile(token: string, profile: FakeProfile, canMove: boolean): string {
  return (
    `<t:Profiles token="${token}"><t:Name>${token}</t:Name><t:Configurations><t:VideoSource token="${configOf(profile)}">${sourceOf(profile)}` +
    `</t:VideoSource><t:VideoEncoder>${encoderOf(profile)}</t:VideoEncoder>${canMove ? ptzOf('PTZ') : ''}` +
    '</t:Configurations></t:Profiles>'
  );
}

function ptzOf(element: string): string {
  return `<t:${element} token="ptz"><t:NodeToken>node</t:NodeToken></t:${element}>`;
}

function sourceOf({ source = 'lens', sourceName }: FakeProfile): string {
  const name = sourceName === undefined ? '' : `<t:Name>${sourceName}</t:Name>`;
  return `${name}<t:SourceToken>${source}</t:SourceToken>`;
}

/** Overlays name the configuration of a source, not the source. */
function configOf({ source = 'lens' }: FakeProfile): string {
  return `${source}-config`;
}

/** Texts that the device writes into its pictures: the date, and the name of the channel. */
export function overlaysOf(texts: Readonly<Record<string, string>>): string {
  const overlay = (source: string, text: string) =>
    `<t:OSDs><t:VideoSourceConfigurationToken>${source}-config</t:VideoSourceConfigurationToken><t:Type>Text</t:Type>` +
    `<t:TextString>${text}</t:TextString></t:OSDs>`;
  return Object.entries(texts)
    .map(([source, text]) =>
      [
        overlay(source, '<t:Type>DateAndTime</t:Type>'),
        overlay(source, `<t:Type>Plain</t:Type><t:PlainText>${text}</t:PlainText>`),
      ].join(''),
    )
    .join('');
}

function encoderOf({ encoding = 'H264', size }: FakeProfile): string {
  const resolution =
    size === undefined
      ? ''
      : `<t:Resolution><t:Width>${size[0]}</t:Width><t:Height>${size[1]}</t:Height></t:Resolution>`;
  return `<t:Encoding>${encoding}</t:Encoding>${resolution}`;
}

export function timeOf(epochMs: number): string {
  const time = new Date(epochMs);
  const tag = (name: string, value: number) => `<t:${name}>${value}</t:${name}>`;
  return (
    `<t:SystemDateAndTime><t:UTCDateTime><t:Time>${tag('Hour', time.getUTCHours())}` +
    `${tag('Minute', time.getUTCMinutes())}${tag('Second', time.getUTCSeconds())}</t:Time><t:Date>` +
    `${tag('Year', time.getUTCFullYear())}${tag('Month', time.getUTCMonth() + 1)}${tag('Day', time.getUTCDate())}` +
    '</t:Date></t:UTCDateTime></t:SystemDateAndTime>'
  );
}

/** Something that the camera noticed. */
export interface FakeNotification {
  readonly topic: string;
  readonly operation?: 'Initialized' | 'Changed' | 'Deleted';
  readonly source?: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
}

export function notificationOf({ topic, operation, source = {}, data }: FakeNotification): string {
  const items = (values: Readonly<Record<string, string>>) =>
    Object.entries(values)
      .map(([name, value]) => `<t:SimpleItem Name="${name}" Value="${value}"/>`)
      .join('');
  const property = operation === undefined ? '' : ` PropertyOperation="${operation}"`;
  return (
    `<n:NotificationMessage xmlns:n="n"><n:Topic>${topic}</n:Topic><n:Message><t:Message UtcTime="2026-01-02T03:04:05Z"` +
    `${property}><t:Source>${items(source)}</t:Source><t:Data>${items(data)}</t:Data></t:Message></n:Message>` +
    '</n:NotificationMessage>'
  );
}
