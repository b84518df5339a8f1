import { describe, expect, it } from 'vitest';
import { changedSettings, RELOADABLE_SETTINGS } from './changed-settings.ts';
import { clusterSettingsOf } from './cluster-settings-of.ts';
import { ConfigError, describeProblem } from './errors.ts';
import { parseConfig } from './load-config.ts';

const SECRET = 'a-secret-of-at-least-32-characters';
const SHARED = 'redis: "redis://h"\ndatabase: "postgres://h/d"\n';
const parse = (text: string, env: Record<string, string> = {}) => parseConfig(text, 'sluice.yaml', env);

function problemsOf(text: string): string[] {
  try {
    parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(describeProblem);
  }
}

describe('a cluster', () => {
  it('is none by default', () => {
    expect(clusterSettingsOf(parse(''))).toBeNull();
    expect(clusterSettingsOf(parse(SHARED))).toBeNull();
  });

  it('needs no more than a secret, a Redis and a PostgreSQL', () => {
    const settings = clusterSettingsOf(parse(`${SHARED}cluster: { secret: ${SECRET} }`), 'node1.example.com');
    expect(settings).toMatchObject({
      name: 'sluice',
      nodeId: 'node1-example-com',
      listen: { host: '127.0.0.1', port: 7700 },
      address: null,
    });
    expect(settings?.secret.reveal()).toBe(SECRET);
  });

  it('can be set in the file and the environment', () => {
    const text = `${SHARED}cluster: { name: city_1, internal: { listen: "0.0.0.0:7000", address: "n1:7001" } }`;
    const env = { SLUICE_CLUSTER_SECRET: SECRET, SLUICE_CLUSTER_NODE_ID: 'n1' };
    expect(clusterSettingsOf(parse(text, env))).toMatchObject({
      name: 'city_1',
      nodeId: 'n1',
      listen: { host: '0.0.0.0', port: 7000 },
      address: { host: 'n1', port: 7001 },
    });
  });

  it('changes with a restart', () => {
    const other = `cluster: { secret: ${SECRET}-2, nodeId: b, name: c, internal: { listen: "h:1", address: "h:2" } }`;
    const changed = changedSettings(
      parse(`${SHARED}cluster: { secret: ${SECRET} }`),
      parse(`${SHARED}${other}`),
    );
    expect(changed).toEqual([
      'cluster.secret',
      'cluster.name',
      'cluster.nodeId',
      'cluster.internal.listen',
      'cluster.internal.address',
    ]);
    expect(changed.filter((key) => RELOADABLE_SETTINGS.has(key))).toEqual([]);
  });

  it.each([
    [`redis: "redis://h"\ncluster: { secret: ${SECRET} }`, ['database: is required with cluster.secret']],
    [
      `database: "postgres://h/d"\ncluster: { secret: ${SECRET} }`,
      ['redis: is required with cluster.secret'],
    ],
    [`cluster: { secret: ${SECRET} }`, ['redis: is required', 'database: is required']],
    [
      `redis: "http://h"\ndatabase: "postgres://h/d"\ncluster: { secret: ${SECRET} }`,
      ['redis: expected a URL'],
    ],
    [`${SHARED}cluster: { nodeId: n1 }`, ['cluster.secret: is required for a cluster']],
    [`${SHARED}cluster: { internal: { listen: "h:1" } }`, ['cluster.secret: is required for a cluster']],
    [
      `${SHARED}cluster: { secret: too-short-a-secret }`,
      ['cluster.secret: expected a random secret of 32 to 512'],
    ],
    [`${SHARED}cluster: { secret: ${SECRET}, nodeId: n.1 }`, ['cluster.nodeId: expected 1 to 64 letters']],
    [`${SHARED}cluster: { secret: ${SECRET}, name: "{a}" }`, ['cluster.name: expected 1 to 64 letters']],
    [
      `${SHARED}cluster: { secret: ${SECRET}, internal: { address: "h:0" } }`,
      ['cluster.internal.address: expected host:port'],
    ],
    [
      `${SHARED}cluster: { secret: ${SECRET}, internal: { listen: "[::]:7700" } }`,
      ['cluster.internal.address: is required with cluster.internal.listen on ::'],
    ],
    ['cluster: 5', ['cluster: expected a mapping']],
  ])('is refused as %j', (text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toEqual(expected.map((part) => expect.stringContaining(part)));
    expect(problems.join()).not.toContain('too-short-a-secret');
  });
});
