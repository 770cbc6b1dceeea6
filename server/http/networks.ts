// IP addresses and networks: which texts are some, and sets of them. Called by the configuration, which checks them at
// start, and by the allowlist. IPv4 addresses in their IPv6 form (::ffff:a.b.c.d) are the IPv4 addresses that they stand
// for, wherever they appear. It never resolves a name.
import { BlockList, isIP } from 'node:net';

const V4_BITS = 32;
const V6_BITS = 128;
/** Bits of the IPv6 prefix under which IPv4 addresses lie. */
const MAPPED_BITS = 96;
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

type Family = 'ipv4' | 'ipv6';

interface Network {
  readonly address: string;
  readonly family: Family;
  readonly prefixBits: number;
}

/** An address in its shortest form, an IPv4 one as such; '' for a text that is none. A zone (`%eth0`) makes it none. */
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

/** The network of a text `address` or `address/bits`; bits of the address beyond the prefix mean nothing. */
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
  // An IPv4 address written as IPv6: a shorter prefix than that of all IPv4 addresses would be a slip.
  return bits < MAPPED_BITS ? undefined : { address, family, prefixBits: bits - MAPPED_BITS };
}

/** Whether a text is an IP address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/**
 * Which addresses belong to some networks; what is no address belongs to none.
 * @throws Error for a text that is no network: the configuration has checked them
 */
export function networkSet(networks: readonly string[]): (address: string) => boolean {
  // One for each family: a list takes IPv4 addresses for members of wide IPv6 networks, and those of ::/0 are not meant.
  const sets = { ipv4: new BlockList(), ipv6: new BlockList() } as const;
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network === undefined) throw new Error(`${text} is no IP address and no network`);
    sets[network.family].addSubnet(network.address, network.prefixBits, network.family);
  }
  return (text) => {
    const address = canonicalAddress(text);
    const family = familyOf(address);
    return address !== '' && sets[family].check(address, family);
  };
}
