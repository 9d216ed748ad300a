// Three workloads under ns-3 (default simulator, MapScheduler): ns3 N [check]
//
// Each prints `name nanoseconds_per_unit statistic`. With `check` the random
// numbers are those of simpy_peer.py, so the statistics have to agree with its
// own but for ns-3's rounding of times to nanoseconds (a time unit is 1 s).
#include <ns3/core-module.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <queue>
#include <string>

using namespace ns3;

static uint64_t N = 1000000;
static bool check = false;
static const int pending = 32;

// Draws Exp(rate) as a Time: ns-3's own generator, or the shared one.
class Exponential
{
  public:
    Exponential(uint64_t seed, double rate)
        : m_state(seed),
          m_rate(rate),
          m_var(CreateObject<ExponentialRandomVariable>())
    {
        m_var->SetAttribute("Mean", DoubleValue(1 / rate));
    }

    Time operator()()
    {
        if (!check)
        {
            return Seconds(m_var->GetValue());
        }
        m_state = m_state * 48271 % 2147483647;
        return Seconds(-std::log(m_state / 2147483647.0) / m_rate);
    }

  private:
    uint64_t m_state;
    double m_rate;
    Ptr<ExponentialRandomVariable> m_var;
};

// One FIFO server, arrivals at 0.9, services at 1.0, N customers.
struct Mm1
{
    Exponential arrival{12345, 0.9}, service{987654321, 1.0};
    std::queue<Time> customers; // arrival times; the front one is in service
    uint64_t arrived = 0;
    double total = 0;

    void Arrive()
    {
        customers.push(Simulator::Now());
        if (customers.size() == 1)
        {
            Simulator::Schedule(service(), &Mm1::Depart, this);
        }
        if (++arrived < N)
        {
            Simulator::Schedule(arrival(), &Mm1::Arrive, this);
        }
    }

    void Depart()
    {
        total += (Simulator::Now() - customers.front()).GetSeconds();
        customers.pop();
        if (!customers.empty())
        {
            Simulator::Schedule(service(), &Mm1::Depart, this);
        }
    }
};

static std::string
RunMm1()
{
    Mm1 q;
    Simulator::Schedule(q.arrival(), &Mm1::Arrive, &q);
    Simulator::Run();
    return "mean_time_in_system=" + std::to_string(q.total / N);
}

// Two players; a message takes 1 time unit.
struct Player
{
    Player* peer = nullptr;
    bool pings = false;
    uint64_t rounds = 0;

    void Receive(uint64_t message)
    {
        if (pings && (message = ++rounds) == N)
        {
            return;
        }
        Simulator::Schedule(Seconds(1), &Player::Receive, peer, message);
    }
};

static std::string
RunPingPong()
{
    Player a, b;
    a.peer = &b;
    b.peer = &a;
    a.pings = true;
    Simulator::Schedule(Seconds(1), &Player::Receive, &b, uint64_t(0));
    Simulator::Run();
    return "rounds=" + std::to_string(a.rounds) +
           " end_time=" + std::to_string(int64_t(Simulator::Now().GetSeconds()));
}

// `pending` chains of events, each Exp(1) after the one before, N in all.
struct Hold
{
    Exponential delay{55555, 1.0};
    uint64_t events = 0;

    void Fire(uint64_t left)
    {
        ++events;
        if (left > 1)
        {
            Simulator::Schedule(delay(), &Hold::Fire, this, left - 1);
        }
    }
};

static std::string
RunHold()
{
    Hold h;
    for (int i = 0; i < pending; ++i)
    {
        Simulator::Schedule(h.delay(), &Hold::Fire, &h, N / pending);
    }
    Simulator::Run();
    return "events=" + std::to_string(h.events) +
           " end_time=" + std::to_string(Simulator::Now().GetSeconds());
}

static void
Measure(const char* name, std::string (*workload)())
{
    auto start = std::chrono::steady_clock::now();
    std::string statistic = workload();
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    Simulator::Destroy();
    std::printf("%s %.1f %s\n", name, took.count() / N, statistic.c_str());
}

int
main(int argc, char** argv)
{
    if (argc > 1)
    {
        N = std::strtoull(argv[1], nullptr, 10);
    }
    check = argc > 2 && !std::strcmp(argv[2], "check");
    Measure("mm1", RunMm1);
    Measure("pingpong", RunPingPong);
    Measure("hold", RunHold);
}
