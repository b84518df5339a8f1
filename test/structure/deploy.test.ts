/** What deploy/ starts Sluice with agrees with itself and with the code: ports, addresses, paths, keys and times. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { BUILT_MAIN } from '../../scripts/built.mjs';
import { SHUTDOWN_MS } from '../../src/app/cli/command-serve.ts';
import { type Environment, ownVariables, variableName } from '../../src/app/config/environment.ts';
import { ConfigError } from '../../src/app/config/errors.ts';
import { parseConfig } from '../../src/app/config/load-config.ts';
import { CONFIG_SCHEMA } from '../../src/app/config/schema.ts';
import { COMMAND_DRAIN_MS } from '../../src/app/stages/start-cluster.ts';
import { OPERATIONS_PATHS } from '../../src/http/operations-routes.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy');
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const yaml = (file: string): any => parse(read(file), { merge: true });
const documents = (file: string): any[] =>
  parseAllDocuments(read(file), { merge: true }).map((document) => document.toJS());

const COMPOSE = yaml('compose.yaml');
const NODES = Object.entries<any>(COMPOSE.services).filter(([, { image }]) => image.startsWith('sluice:'));
const NGINX = read('nginx.conf');
const [STATEFUL_SET] = documents('kubernetes/statefulset.yaml');
const POD = STATEFUL_SET.spec.template.spec;
const [CONTAINER] = POD.containers;
const SECRET: Record<string, string> = yaml('kubernetes/secret.example.yaml').stringData;

const portOf = (address: string): number => Number(/:(\d+)$/.exec(address)?.[1]);
const unique = <T>(values: Iterable<T>): T[] => [...new Set(values)];
/** Names of secrets, among variables of programs. */
const isSecretName = (name: string) => /PASSWORD|SECRET|KEY|TOKEN|AUTH|DATABASE|REDIS$/.test(name);
/** A tag with a version; a registry can have a port. */
const isPinned = (image: string) => /:v?\d+\.\d+(?:\.\d+)?(?:-[a-z0-9.]+)?$/.test(image);

describe('files in deploy', () => {
  const files = globSync('**/*.yaml', { cwd: FOLDER });

  it('are YAML without doubled keys', () => {
    expect(files.length).toBeGreaterThan(10);
    const faults = files.flatMap((file) =>
      parseAllDocuments(read(file), { merge: true }).flatMap(({ errors, warnings }) =>
        [...errors, ...warnings].map(({ message }) => `${file}: ${message}`),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('have no secret in them', () => {
    const all = globSync('**/{*,.*}.*', { cwd: FOLDER }).filter((file) => !/(?:^|\/)\.env$/.test(file));
    expect(all).toContain('.env.example');
    const long = /\b(?:[0-9a-f]{32,}|(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{40,}={0,2})/;
    expect('x: 0123456789abcdef0123456789abcdef').toMatch(long);
    expect(all.filter((file) => long.test(read(file)))).toEqual([]);
    const withPassword = all.filter((file) => /:\/\/[^\s/@$]*:(?!password@|\$\{)[^\s/@]+@/.test(read(file)));
    expect(withPassword).toEqual([]);
    expect(Object.values(SECRET).filter((value) => value !== '')).toEqual([]);
    const filled = read('.env.example').match(/^[A-Z].*=.+$/gm);
    expect(filled).toBeNull();
    const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['/deploy/.env', '/deploy/kubernetes/secret.yaml']));
    expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')).toContain('deploy');
  });

  it('have images of one version each', () => {
    const images = Object.values<any>(COMPOSE.services).map(({ image }) => image);
    const ours = yaml('kubernetes/kustomization.yaml').images.map(
      ({ newName, newTag }: any) => `${newName}:${newTag}`,
    );
    expect(images.length).toBeGreaterThan(5);
    expect([...images, ...ours].filter((image) => !isPinned(image))).toEqual([]);
    expect(['redis', 'redis:latest', 'localhost:5000/redis', 'redis:8'].filter(isPinned)).toEqual([]);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(
      unique([...NODES.map(([, { image }]) => image), ...ours].map((image) => image.split(':').at(-1))),
    ).toEqual([version]);
  });

  it('give the gateway more time than it needs to stop', () => {
    const graces = NODES.map(([, node]) => Number(/^(\d+)s$/.exec(node.stop_grace_period)?.[1]));
    expect(graces.filter((sec) => !(sec * 1_000 > SHUTDOWN_MS))).toEqual([]);
    const script: string = CONTAINER.lifecycle.preStop.exec.command.at(-1);
    const [, command, sleepSec] = /^node src\/app\/main\.ts (\w+) & sleep (\d+); wait$/.exec(script) ?? [];
    expect(command).toBe('drain');
    expect(POD.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
      Math.max(Number(sleepSec) * 1_000, COMMAND_DRAIN_MS) + SHUTDOWN_MS,
    );
    const unitSec = /^TimeoutStopSec=(\d+)$/m.exec(read('sluice.service'))?.[1];
    expect(Number(unitSec) * 1_000).toBeGreaterThan(SHUTDOWN_MS);
  });
});

describe('configuration in deploy', () => {
  /** As a person fills them in. */
  const FILLED: Readonly<Record<string, string>> = {
    SECRET_KEY: 'ab'.repeat(32),
    PUBLIC_MEDIA_URL: 'https://video.example.com',
    PUBLIC_API_URL: 'https://api.example.com',
  };
  const filled = (name: string) => FILLED[name] ?? `${name.toLowerCase()}-a-long-random-text`;
  const filledIn = (text: string) => text.replaceAll(/\$\{(\w+)(?:[:?][^}]*)?\}/g, (_, name) => filled(name));

  function problemsOf(file: string, env: Environment): string[] {
    try {
      parseConfig(read(file), file, env);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).problems.map(({ source, key, message }) => `${source} ${key} ${message}`);
    }
    return [];
  }

  /** Until the schema has the group, its keys are unknown; nothing else may be wrong. */
  function expectValid(file: string, env: Environment): void {
    const problems = problemsOf(file, env);
    if ('cluster' in CONFIG_SCHEMA.children) expect(problems).toEqual([]);
    else expect(problems.filter((problem) => !/cluster/i.test(problem))).toEqual([]);
  }

  const nodeVariables = (node: any): Environment =>
    ownVariables(
      Object.fromEntries(
        Object.entries<string>(node.environment).map(([name, value]) => [name, filledIn(String(value))]),
      ),
    );

  it('is valid for each node of compose.yaml', () => {
    expect(NODES.map(([name]) => name)).toEqual(['node1', 'node2', 'node3']);
    for (const [, node] of NODES) expectValid('sluice.yaml', nodeVariables(node));
    expect(problemsOf('sluice.yaml', { SLUICE_MOOD: 'x' }).join()).toContain('SLUICE_MOOD');
  });

  it('is valid for the pods', () => {
    const urls: Readonly<Record<string, string>> = {
      SLUICE_DATABASE: 'postgres://sluice:hush@db.example.com/sluice',
      SLUICE_REDIS: 'redis://:hush@redis.example.com:6379/0',
      SLUICE_SECRET_KEY: FILLED.SECRET_KEY!,
    };
    const own = Object.fromEntries<string>(
      CONTAINER.env.map(({ name, value }: any) => [
        name,
        (value ?? 'sluice-0').replace('$(POD_IP)', '10.244.0.5'),
      ]),
    );
    const secrets = Object.fromEntries(Object.keys(SECRET).map((name) => [name, urls[name] ?? filled(name)]));
    expectValid('kubernetes/sluice.yaml', ownVariables({ ...own, ...secrets }));
  });

  it('names the node, its address and the secret of the cluster by the variables of their keys', () => {
    const names = [['nodeId'], ['internal', 'address'], ['secret']].map((key) =>
      variableName(['cluster', ...key]),
    );
    for (const [, node] of NODES)
      expect(Object.keys(node.environment)).toEqual(expect.arrayContaining(names));
    const ofPods = [...CONTAINER.env.map(({ name }: any) => name), ...Object.keys(SECRET)];
    expect(ofPods).toEqual(expect.arrayContaining(names));
  });

  it('has the variables of .env.example, and secrets only from there', () => {
    const used = unique([...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!));
    const offered = [...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
    expect(used.sort()).toEqual(offered.sort());
    const given = Object.values<any>(COMPOSE.services).flatMap(({ environment = {} }) =>
      Object.entries<string>(environment).filter(([name]) => isSecretName(name)),
    );
    expect(given.length).toBeGreaterThan(20);
    expect(given.filter(([, value]) => !/\$\{\w+:\?[^}]*\}/.test(value))).toEqual([]);
    const command = read('README.md').match(/sed -i "([^"]*)"/)?.[1] ?? '';
    const random = [...command.matchAll(/s\/\^(\w+)=/g)].map(([, name]) => name!);
    expect(random.sort()).toEqual(offered.filter((name) => !name.startsWith('PUBLIC_')).sort());
  });
});

describe('compose.yaml', () => {
  const { listen, trustProxy, cluster } = yaml('sluice.yaml');
  const addressOf = (service: any): string => service.networks.frontend.ipv4_address;

  it.each(['api', 'media'])('has the nodes behind nginx: %s', (listener) => {
    const upstream = new RegExp(`upstream sluice_${listener} \\{([^}]*)\\}`).exec(NGINX)?.[1] ?? '';
    const servers = [...upstream.matchAll(/^\s*server (\S+)/gm)].map(([, address]) => address);
    expect(servers).toEqual(NODES.map(([, node]) => `${addressOf(node)}:${portOf(listen[listener])}`));
    const server = new RegExp(`listen (\\d+);[^}]*proxy_pass http://sluice_${listener};`).exec(NGINX);
    const published = COMPOSE.services.nginx.ports.map(portOf);
    expect(published).toContain(Number(server?.[1]));
  });

  it('buffers nothing: nodes end responses that are read too slowly, or that a viewer may no longer have', () => {
    expect(NGINX).toMatch(/^ {4}proxy_buffering off;$/m);
    expect(NGINX).toMatch(/^ {4}proxy_read_timeout 90s;/m);
  });

  it('has one proxy that the nodes trust, in the subnet', () => {
    const { nginx } = COMPOSE.services;
    expect(trustProxy).toBe(addressOf(nginx));
    const [{ subnet }] = COMPOSE.networks.frontend.ipam.config;
    const prefix = subnet.replace(/\d+\/24$/, '');
    const addresses = [nginx, ...NODES.map(([, node]) => node)].map(addressOf);
    expect(addresses.filter((address) => !address.startsWith(prefix))).toEqual([]);
    expect(unique(addresses)).toHaveLength(addresses.length);
  });

  it('links the nodes at their internal port, each with its own name and volume', () => {
    for (const [name, { environment, volumes }] of NODES) {
      expect(environment.SLUICE_CLUSTER_NODE_ID).toBe(name);
      expect(environment.SLUICE_CLUSTER_INTERNAL_ADDRESS).toBe(`${name}:${portOf(cluster.internal.listen)}`);
      expect(volumes).toContain(`${name}:/data`);
    }
  });

  it('mounts files that exist, and volumes that it declares', () => {
    const sources = Object.values<any>(COMPOSE.services).flatMap(({ volumes = [] }) =>
      volumes.map((volume: string) => volume.split(':')[0]!),
    );
    const files = sources.filter((source) => source.startsWith('./'));
    expect(unique(files).sort()).toEqual(['./garage.toml', './nginx.conf', './sluice.yaml']);
    for (const file of files) expect(read(file)).not.toBe('');
    const named = sources.filter((source) => !source.startsWith('./'));
    expect(named.sort()).toEqual(Object.keys(COMPOSE.volumes).sort());
  });

  it('gives the nodes the bucket and the region that the S3 server has', () => {
    const { s3 } = yaml('sluice.yaml');
    const server = COMPOSE.services.s3.environment;
    expect(server.GARAGE_DEFAULT_BUCKET).toBe(s3.bucket);
    expect(read('garage.toml')).toContain(`s3_region = "${s3.region}"`);
    expect(read('garage.toml')).toContain(`api_bind_addr = "0.0.0.0:${new URL(s3.endpoint).port}"`);
    expect(Object.keys(COMPOSE.services)).toContain(new URL(s3.endpoint).hostname);
  });
});

describe('manifests for Kubernetes', () => {
  const config = yaml('kubernetes/sluice.yaml');
  const ports: Record<string, number> = Object.fromEntries(
    CONTAINER.ports.map(({ name, containerPort }: any) => [name, containerPort]),
  );
  const frontDoor = readFileSync(join(ROOT, 'src/front-door/build-front-door.ts'), 'utf8');

  it('are those of the kustomization', () => {
    const others = ['kustomization.yaml', 'prometheus-adapter.yaml', 'secret.example.yaml', 'sluice.yaml'];
    const files = globSync('kubernetes/*.yaml', { cwd: FOLDER }).map((file) => basename(file));
    const { resources } = yaml('kubernetes/kustomization.yaml');
    expect([...resources, ...others].sort()).toEqual(files.filter((file) => file !== 'secret.yaml').sort());
  });

  it('have the ports of the configuration', () => {
    const { listen, cluster } = config;
    expect(ports).toEqual({
      api: portOf(listen.api),
      media: portOf(listen.media),
      internal: portOf(cluster.internal.listen),
    });
    const address = CONTAINER.env.find(({ name }: any) => name === 'SLUICE_CLUSTER_INTERNAL_ADDRESS').value;
    expect(portOf(address)).toBe(ports.internal);
    const services = documents('kubernetes/services.yaml');
    expect(services.map(({ metadata }) => metadata.name)).toContain(STATEFUL_SET.spec.serviceName);
    for (const { spec } of services) {
      for (const { port, targetPort } of spec.ports) expect(port).toBe(ports[targetPort]);
    }
    const [policy] = documents('kubernetes/network-policy.yaml');
    const allowed = policy.spec.ingress.flatMap((rule: any) => rule.ports.map(({ port }: any) => port));
    expect(allowed.sort()).toEqual(Object.keys(ports).sort());
    const ofInternal = policy.spec.ingress.find((rule: any) =>
      rule.ports.some(({ port }: any) => port === 'internal'),
    );
    expect(ofInternal.from).toEqual([{ podSelector: policy.spec.podSelector }]);
  });

  it('probe paths that there are, and do not restart a node whose database is down', () => {
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => CONTAINER[name].httpGet);
    for (const { path, port } of probes) {
      if (port === 'api') expect([...OPERATIONS_PATHS]).toContain(path);
      else expect(frontDoor).toContain(`app.get('${path}'`);
    }
    expect(CONTAINER.livenessProbe.httpGet.path).not.toBe('/readyz');
    expect(CONTAINER.readinessProbe.httpGet.path).toBe('/readyz');
  });

  it('select the pods', () => {
    const { labels } = STATEFUL_SET.spec.template.metadata;
    const files = ['services', 'statefulset', 'disruption-budget', 'network-policy'];
    const selectors = files.flatMap((file) =>
      documents(`kubernetes/${file}.yaml`).map(({ kind, spec }) =>
        kind === 'Service' ? spec.selector : (spec.selector ?? spec.podSelector).matchLabels,
      ),
    );
    expect(selectors).toHaveLength(6);
    expect(selectors.filter((selector) => JSON.stringify(selector) !== JSON.stringify(labels))).toEqual([]);
  });

  it('run as the user of the image, and keep nothing that the jail does not need', () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(POD.securityContext.runAsUser).toBe(Number(/--uid (\d+)/.exec(dockerfile)?.[1]));
    expect(POD.securityContext.runAsNonRoot).toBe(true);
    expect(CONTAINER.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('scale by a metric that the adapter makes', () => {
    const [{ spec }] = documents('kubernetes/autoscaler.yaml');
    const [rule] = yaml('kubernetes/prometheus-adapter.yaml').rules.custom;
    expect(spec.metrics.map(({ pods }: any) => pods.metric.name)).toEqual([rule.name.as]);
    expect(spec.scaleTargetRef.name).toBe(STATEFUL_SET.metadata.name);
    expect(config.threads.viewers).toBeGreaterThan(0);
  });
});

describe('sluice.service', () => {
  const settings = Object.fromEntries(
    [...read('sluice.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
  );

  it('reloads by SIGHUP and leaves the jail what it needs', () => {
    expect(settings.ExecReload).toContain('-HUP $MAINPID');
    expect(settings.RestrictNamespaces?.split(' ').sort()).toEqual(['net', 'user']);
    const calls = ['seccomp', 'landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self'];
    expect(settings.SystemCallFilter?.split(' ')).toEqual(expect.arrayContaining(calls));
    expect(settings).not.toHaveProperty('MemoryDenyWriteExecute');
  });

  it('runs the bundle, which it makes beforehand', () => {
    // Root must not run code from the compile cache, which the gateway can write.
    const pattern = /^\+\/usr\/bin\/env NODE_DISABLE_COMPILE_CACHE=1 \S+\/node \/opt\/sluice\/(\S+)$/;
    const [, script] = pattern.exec(settings.ExecStartPre ?? '')!;
    expect(existsSync(join(ROOT, script!))).toBe(true);
    expect(settings.ExecStart).toContain(` /opt/sluice/${relative(ROOT, BUILT_MAIN)} `);
  });
});
