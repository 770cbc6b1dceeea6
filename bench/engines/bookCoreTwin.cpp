// The twin of bookCore.ts in C++: the same ladder (levels by grid place, occupancy bitmap with summary), the same 64-byte
// order records linked by slot, the same match loop, on the same op file, prefetched in the same batches. Built and run by
// twin.ts where a compiler is present. It shows the cost of the language, since everything else is the same. Orders are
// named by their number.
//   twin OPFILE TICKS BOOKS UNTIMED_OPS CHECKPOINT... → the answers of child.ts as one line of JSON
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

constexpr int32_t NONE = -1;
constexpr int BID = 0;
constexpr int PIPS_PER_UNIT = 10000;
constexpr int CHUNK_OPS = 32768;
constexpr int BATCH = 64;
enum OpType { ADD = 0, CANCEL = 1, TAKE = 2, TAKE_ALL_OR_NOTHING = 3 };

/** One cache line, as in orderPool.ts. */
struct alignas(64) Record {
  int32_t next, prev, lots, position, owner, price, key, ownNext, ownPrev, heapPlace;
  double number;
  int32_t id[4];
};
static_assert(sizeof(Record) == 64);

struct Op {
  uint8_t type, side;
  uint16_t book;
  uint32_t price, lots, id;
};
static_assert(sizeof(Op) == 16);

class Pool {
 public:
  int32_t liveCount = 0;
  std::vector<Record> records;

  int32_t allocate(uint32_t number, int side, int32_t pips, int32_t lots, int32_t position) {
    int32_t slot = freeHead;
    if (slot >= 0) {
      freeHead = records[slot].next;
    } else {
      slot = static_cast<int32_t>(records.size());
      records.emplace_back();
    }
    records[slot] = {NONE, NONE, lots, position, 0, (pips << 4) | side, 0, NONE, NONE, NONE, double(number), {0, 0, 0, 0}};
    liveCount += 1;
    return slot;
  }

  void release(int32_t slot) {
    records[slot].next = freeHead;
    freeHead = slot;
    liveCount -= 1;
  }

 private:
  int32_t freeHead = NONE;
};

class Ladder {
 public:
  int32_t gridPips, levelCount, bestBid = 0, bestAsk;
  double inverse;
  std::vector<int32_t> ends;

  explicit Ladder(int32_t grid) : gridPips(grid), levelCount(PIPS_PER_UNIT / grid), inverse(1.0 / grid) {
    bestAsk = levelCount;
    ends.assign(levelCount * 2, NONE);
    occupied.assign((levelCount + 31) >> 5, 0);
    summary.assign((occupied.size() + 31) >> 5, 0);
  }

  int32_t levelOf(int32_t pips) const { return int32_t((pips + 0.5) * inverse); }
  int32_t firstMaker(int side) const {
    if (side != BID) return ends[bestBid << 1];
    return bestAsk < levelCount ? ends[bestAsk << 1] : NONE;
  }
  int32_t nextWorse(int side, int32_t level) const { return side == BID ? nextBelow(level) : nextAbove(level); }

  void append(Pool& pool, int32_t slot, int side) {
    int32_t level = levelOf(pool.records[slot].price >> 4);
    int32_t last = ends[(level << 1) | 1];
    pool.records[slot].prev = last;
    if (last >= 0) pool.records[last].next = slot;
    ends[(level << 1) | 1] = slot;
    if (last < 0) openLevel(level, slot, side);
  }

  void remove(Pool& pool, int32_t slot) {
    const Record& record = pool.records[slot];
    int32_t level = levelOf(record.price >> 4);
    int32_t next = record.next, previous = record.prev;
    if (previous >= 0) pool.records[previous].next = next;
    if (next >= 0) pool.records[next].prev = previous;
    if (previous < 0) ends[level << 1] = next;
    if (next < 0) {
      ends[(level << 1) | 1] = previous;
      if (previous < 0) clearLevel(level);
    }
  }

 private:
  std::vector<uint32_t> occupied, summary;

  void openLevel(int32_t level, int32_t slot, int side) {
    ends[level << 1] = slot;
    int32_t word = level >> 5;
    occupied[word] |= 1u << (level & 31);
    summary[word >> 5] |= 1u << (word & 31);
    if (side == BID) {
      if (level > bestBid) bestBid = level;
    } else if (level < bestAsk) {
      bestAsk = level;
    }
  }

  void clearLevel(int32_t level) {
    int32_t word = level >> 5;
    occupied[word] &= ~(1u << (level & 31));
    if (occupied[word] == 0) summary[word >> 5] &= ~(1u << (word & 31));
    if (level == bestBid) bestBid = nextBelow(level);
    else if (level == bestAsk) bestAsk = nextAbove(level);
  }

  int32_t nextBelow(int32_t level) const {
    int32_t word = level >> 5;
    uint32_t bits = occupied[word] & ((1u << (level & 31)) - 1);
    if (bits != 0) return (word << 5) + 31 - __builtin_clz(bits);
    int32_t group = word >> 5;
    uint32_t words = summary[group] & ((1u << (word & 31)) - 1);
    while (words == 0) {
      group -= 1;
      if (group < 0) return 0;
      words = summary[group];
    }
    int32_t found = (group << 5) + 31 - __builtin_clz(words);
    return (found << 5) + 31 - __builtin_clz(occupied[found]);
  }

  int32_t nextAbove(int32_t level) const {
    int32_t word = level >> 5;
    uint32_t bits = occupied[word] & ((~0u << (level & 31)) << 1);
    if (bits != 0) return (word << 5) + __builtin_ctz(bits);
    int32_t group = word >> 5;
    uint32_t words = summary[group] & ((~0u << (word & 31)) << 1);
    while (words == 0) {
      group += 1;
      if (group >= int32_t(summary.size())) return levelCount;
      words = summary[group];
    }
    int32_t found = (group << 5) + __builtin_ctz(words);
    return (found << 5) + __builtin_ctz(occupied[found]);
  }
};

class Engine {
 public:
  Engine(const std::vector<Op>& all, int ticks, int books) : ops(all), tickPips(PIPS_PER_UNIT / (ticks + 1)) {
    for (int book = 0; book < books; book += 1) ladders.emplace_back(tickPips);
    slots.assign(all.size(), NONE);
  }

  void run(size_t from, size_t to) {
    for (size_t at = from; at < to; at += BATCH) {
      size_t end = at + BATCH < to ? at + BATCH : to;
      lookAhead(at, end);
      runBatch(at, end);
    }
  }

  void printTotals() const {
    int64_t restingLots = 0;
    for (const Ladder& ladder : ladders) {
      for (int32_t level = 1; level < ladder.levelCount; level += 1) {
        for (int32_t slot = ladder.ends[level << 1]; slot != NONE; slot = pool.records[slot].next) {
          restingLots += pool.records[slot].lots;
        }
      }
    }
    printf("{\"fills\":%lld,\"lots\":%lld,\"notional\":%lld,\"restingOrders\":%d,\"restingLots\":%lld}", (long long)fills,
           (long long)filledLots, (long long)notional, pool.liveCount, (long long)restingLots);
  }

 private:
  const std::vector<Op>& ops;
  int32_t tickPips;
  std::vector<Ladder> ladders;
  Pool pool;
  std::vector<int32_t> slots;
  int64_t fills = 0, filledLots = 0, notional = 0;
  int32_t near[BATCH];
  /** What was prefetched; volatile, so that the compiler does not drop the reads. */
  volatile int32_t prefetched = 0;

  void lookAhead(size_t from, size_t to) {
    int count = 0;
    for (size_t at = from; at < to; at += 1) {
      const Op& op = ops[at];
      if (op.type == ADD) continue;
      near[count] = op.type == CANCEL ? slots[op.id] : ladders[op.book].firstMaker(op.side);
      count += 1;
    }
    int32_t read = 0;
    for (int i = 0; i < count; i += 1) {
      if (near[i] >= 0) read ^= pool.records[near[i]].position;
    }
    prefetched = read;
  }

  void runBatch(size_t from, size_t to) {
    for (size_t at = from; at < to; at += 1) {
      const Op& op = ops[at];
      if (op.type == CANCEL) {
        int32_t slot = slots[op.id];
        if (slot != NONE && pool.records[slot].number == op.id && pool.records[slot].lots > 0) cancel(slot);
        continue;
      }
      Ladder& ladder = ladders[op.book];
      int32_t level = int32_t(op.price), lots = int32_t(op.lots);
      if (op.type == TAKE_ALL_OR_NOTHING && !isFillable(ladder, op.side, level, lots)) continue;
      int32_t left = match(ladder, op.side, level, lots);
      if (op.type != ADD || left == 0) continue;
      int32_t slot = pool.allocate(op.id, op.side, level * tickPips, left, op.book);
      ladder.append(pool, slot, op.side);
      slots[op.id] = slot;
    }
  }

  void cancel(int32_t slot) {
    ladders[pool.records[slot].position].remove(pool, slot);
    pool.records[slot].lots = 0;
    pool.release(slot);
  }

  bool isFillable(const Ladder& ladder, int side, int32_t limit, int32_t lots) const {
    int other = side == BID ? 1 : BID;
    int32_t left = lots;
    int32_t level = other == BID ? ladder.bestBid : ladder.bestAsk;
    while (level > 0 && level < ladder.levelCount && (side == BID ? level <= limit : level >= limit)) {
      for (int32_t slot = ladder.ends[level << 1]; slot != NONE; slot = pool.records[slot].next) {
        left -= pool.records[slot].lots;
        if (left <= 0) return true;
      }
      level = ladder.nextWorse(other, level);
    }
    return false;
  }

  int32_t match(Ladder& ladder, int side, int32_t limit, int32_t lots) {
    int32_t left = lots;
    while (left > 0) {
      int32_t level = side == BID ? ladder.bestAsk : ladder.bestBid;
      if (side == BID ? level > limit || level == ladder.levelCount : level < limit || level == 0) break;
      left = matchLevel(ladder, level, left);
    }
    return left;
  }

  int32_t matchLevel(Ladder& ladder, int32_t level, int32_t lots) {
    int32_t left = lots;
    int32_t slot = ladder.ends[level << 1];
    while (slot != NONE && left > 0) {
      int32_t makerLots = pool.records[slot].lots;
      int32_t filled = left < makerLots ? left : makerLots;
      left -= filled;
      fills += 1;
      filledLots += filled;
      notional += int64_t(filled) * level;
      pool.records[slot].lots = makerLots - filled;
      if (filled < makerLots) break;
      int32_t next = pool.records[slot].next;
      ladder.remove(pool, slot);
      pool.release(slot);
      slot = next;
    }
    return left;
  }
};

int64_t threadNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

std::vector<Op> readOps(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == nullptr) exit(2);
  fseek(file, 0, SEEK_END);
  std::vector<Op> ops(ftell(file) / sizeof(Op));
  rewind(file);
  if (fread(ops.data(), sizeof(Op), ops.size(), file) != ops.size()) exit(2);
  fclose(file);
  return ops;
}

}  // namespace

int main(int count, char** args) {
  if (count < 6) return 2;
  std::vector<Op> ops = readOps(args[1]);
  Engine engine(ops, atoi(args[2]), atoi(args[3]));
  size_t untimed = strtoull(args[4], nullptr, 10), done = 0;
  int64_t nanoseconds = 0;
  auto runTo = [&](size_t from, size_t to) {
    for (size_t op = from; op < to; op += CHUNK_OPS) {
      size_t end = op + CHUNK_OPS < to ? op + CHUNK_OPS : to;
      int64_t start = threadNanoseconds();
      engine.run(op, end);
      nanoseconds += threadNanoseconds() - start;
    }
  };
  runTo(0, untimed);
  nanoseconds = 0;
  printf("[");
  for (int arg = 5; arg < count; arg += 1) {
    size_t timed = strtoull(args[arg], nullptr, 10);
    runTo(untimed + done, untimed + timed);
    done = timed;
    printf("%s{\"timedOps\":%zu,\"nanoseconds\":%lld,\"totals\":", arg == 5 ? "" : ",", timed, (long long)nanoseconds);
    engine.printTotals();
    printf("}");
  }
  printf("]\n");
  return 0;
}
