// IP addresses and networks: parsing, sets of networks, and the network that counts as one client. Called by the configuration,
// which validates networks at start, by the allowlist, and for each request and socket by the parts that count them. IPv4
// addresses in IPv6 form (::ffff:a.b.c.d) are treated as the IPv4 addresses that they stand for. It never resolves a name.
import { BlockList, isIP } from 'node:net';

const V4_BITS = 32;
const V6_BITS = 128;
/** Bits of the IPv6 prefix of IPv4-mapped addresses. */
const MAPPED_BITS = 96;
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

type Family = 'ipv4' | 'ipv6';

interface Network {
  readonly address: string;
  readonly family: Family;
  readonly prefixBits: number;
}

/** An address in its shortest form, IPv4-mapped ones as IPv4; '' for any other text, also an address with a zone (`%eth0`). */
export function canonicalAddress(text: string): string {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family !== 6) return family === 4 ? text : '';
  const short = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(short);
  if (mapped === null) return short;
  const words = mapped.slice(1).map((word) => Number.parseInt(word, 16));
  return words.flatMap((word) => [word >>> 8, word & 255]).join('.');
}

const familyOf = (address: string): Family => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Parses `address` or `address/bits`; bits of the address beyond the prefix are ignored. */
function parseNetwork(text: string): Network | undefined {
  const [addressText, bitsText, ...others] = text.split('/');
  const address = canonicalAddress(addressText);
  if (address === '' || others.length > 0) return undefined;
  const family = familyOf(address);
  const bitsMax = addressText.includes(':') ? V6_BITS : V4_BITS;
  if (bitsText === undefined) return { address, family, prefixBits: family === 'ipv4' ? V4_BITS : V6_BITS };
  if (!/^(0|[1-9]\d{0,2})$/.test(bitsText) || Number(bitsText) > bitsMax) return undefined;
  const bits = Number(bitsText);
  if (family === 'ipv6' || bitsMax === V4_BITS) return { address, family, prefixBits: bits };
  // An IPv4-mapped address: a prefix shorter than 96 bits must be a mistake.
  return bits < MAPPED_BITS ? undefined : { address, family, prefixBits: bits - MAPPED_BITS };
}

/** Whether a text is an IP address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/**
 * A test whether an address belongs to any of the networks; a malformed address belongs to none.
 * @throws Error for a malformed network, which the configuration has ruled out
 */
export function networkSet(networks: readonly string[]): (address: string) => boolean {
  // One list for each family: a single BlockList counts IPv4 addresses as members of wide IPv6 networks, but ::/0 must not
  // include them.
  const sets = { ipv4: new BlockList(), ipv6: new BlockList() } as const;
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network === undefined) throw new Error(`${text} is neither an IP address nor a network`);
    sets[network.family].addSubnet(network.address, network.prefixBits, network.family);
  }
  return (text) => {
    const address = canonicalAddress(text);
    const family = familyOf(address);
    return address !== '' && sets[family].check(address, family);
  };
}

/** Groups, of 16 bits each, that name the network of an IPv6 address. */
const IPV6_NETWORK_GROUPS = 4;
const IPV6_GROUPS = 8;

/**
 * The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 one, since any household has that
 * many addresses. A text without a colon stands for itself; '' for any other malformed one.
 */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const address = canonicalAddress(ip.split('%', 1)[0]);
  if (!address.includes(':')) return address;
  const [head, tail = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: IPV6_GROUPS - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, IPV6_NETWORK_GROUPS).join(':')}::/64`;
}
