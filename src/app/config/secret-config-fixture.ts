/** A configuration with a secret in every place that can have one, for tests that none of them gets out. */

/** Every secret, by the setting that has it. All contain characters that URLs and Base64 change. */
export const SECRETS = {
  apiKey: 'slc_API+key/with=signs_0001',
  partnerApiKey: 'slc_PARTNER+key/with=signs_2',
  metricsToken: 'metrics-TOKEN+of/many=signs-003',
  redisPassword: 'redis P@ss/word?4',
  databasePassword: 'post gres#P@ss/5',
  s3AccessKeyId: 'AKIASECRETKEYID00006',
  s3SecretAccessKey: 's3+SECRET/access=key7',
  mainPassword: 'main camera:P@ss/8',
  subPassword: 'sub camera?P@ss#9',
  onvifPassword: 'onvif+P@ss/word 10',
  publishKey: 'publish-KEY_of-a-camera-11',
  clusterSecret: 'cluster+SECRET/of=many/nodes&signs-00012',
} as const;

/** Non-secret text that must be there, or the test looks at nothing. */
export const SHOWN_BUCKET = 'shown-bucket-name';

const enc = encodeURIComponent;

/** `sluice.yaml` with every setting that can hold a secret. */
export const SECRET_YAML = `
redis: "redis://user:${enc(SECRETS.redisPassword)}@127.0.0.1:6379/3"
database: "postgres://sluice:${enc(SECRETS.databasePassword)}@127.0.0.1/sluice"
cluster:
  secret: "${SECRETS.clusterSecret}"
  nodeId: node-1
bootstrap:
  apiKey: "${SECRETS.apiKey}"
  partnerApiKey: "${SECRETS.partnerApiKey}"
metrics:
  token: "${SECRETS.metricsToken}"
s3:
  bucket: ${SHOWN_BUCKET}
  accessKeyId: ${SECRETS.s3AccessKeyId}
  secretAccessKey: "${SECRETS.s3SecretAccessKey}"
locations:
  - { name: HQ, tz: America/New_York }
cameras:
  - name: Lobby
    location: HQ
    rtsp: "rtsp://admin:${enc(SECRETS.mainPassword)}@192.0.2.10/main"
    substream: "rtsp://admin:${enc(SECRETS.subPassword)}@192.0.2.10/sub"
    onvif: "http://admin:${enc(SECRETS.onvifPassword)}@192.0.2.10/onvif/device_service"
  - name: Pushed
    publishKey: ${SECRETS.publishKey}
`;

/** A text as it may occur in another: as it is, in a URL, in JSON, as hex, and in Base64 wherever it begins. */
export function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift, 'x'), bytes]);
    // The characters that the bytes next to it change are left out.
    const from = shift === 0 ? 0 : Math.ceil((shift * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    return [padded.toString('base64').slice(from, to), padded.toString('base64url').slice(from, to)];
  });
  const url = encodeURIComponent(secret);
  const form = new URLSearchParams({ x: secret }).toString().slice(2);
  const userInfo = new URL(`http://u:${url}@h/`).password;
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    ...new Set([secret, url, url.toLowerCase(), form, userInfo, json, bytes.toString('hex'), ...shifted]),
  ];
}

/** The secrets that occur in a text, in any encoding. */
export function secretsIn(text: string): string[] {
  const lower = text.toLowerCase();
  return Object.entries(SECRETS).flatMap(([name, secret]) => {
    const isThere = encodingsOf(secret).some((encoded) => lower.includes(encoded.toLowerCase()));
    return isThere ? [name] : [];
  });
}
