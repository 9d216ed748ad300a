package clock

import (
	"time"

	"fencepost/sim/rng"
)

const (
	us  = time.Microsecond
	ms  = time.Millisecond
	sec = time.Second
)

const (
	mills = "D. Mills, Computer Network Time Synchronization, chapter 16 (2010), https://doi.org/10.1201/9781420006155-16"

	ntpd = "NTP distribution 4.2.8 documentation (2020), clock state machine and clock discipline, " +
		"https://www.ntp.org/documentation/4.2.8-series/clock/ and https://www.ntp.org/documentation/4.2.8-series/discipline/"

	chronyConf = "chrony.conf(5) of chrony 4 (2023), makestep, maxslewrate and corrtimeratio, " +
		"https://chrony-project.org/doc/4.5/chrony.conf.html"

	truetime = "Corbett et al., Spanner: Google's Globally-Distributed Database, OSDI 2012, section 3, " +
		"https://www.usenix.org/conference/osdi12/technical-sessions/presentation/corbett"

	awsTimeSync = "AWS Compute Blog, It's About Time: Microsecond-Accurate Clocks on Amazon EC2 Instances (2023), " +
		"https://aws.amazon.com/blogs/compute/its-about-time-microsecond-accurate-clocks-on-amazon-ec2-instances/"

	timesyncd = "systemd, src/timesync/timesyncd-manager.c, NTP_MAX_ADJUST and manager_adjust_clock (read 2026), " +
		"https://github.com/systemd/systemd/blob/main/src/timesync/timesyncd-manager.c"

	smear = "Google Public NTP, Leap Smear (2008 to 2016), https://developers.google.com/time/smear"

	jepsen = "Jepsen, jepsen/src/jepsen/nemesis/time.clj, bump-gen (read 2026), " +
		"https://github.com/jepsen-io/jepsen/blob/main/jepsen/src/jepsen/nemesis/time.clj"
)

// A clock that a daemon has brought to the right frequency: within 1 ppm (ntpd's
// documentation of its discipline; chrony assumes as much, maxclockerror).
var disciplined = Spread{Size: rng.Uniform(0, us)}

// withinLAN is what the daemons' documentation calls nominal on a local network.
var withinLAN = Spread{Size: rng.HalfNormal(300 * us), Most: ms}

// byNTPD is ntpd's discipline. Its loop brings an offset to zero in about 50 minutes at
// a poll of 64 s.
func byNTPD(noise Spread) Discipline {
	return Discipline{
		Poll: rng.Constant(64 * sec), Noise: noise, Residual: disciplined, SlewPPB: 500_000, SlewOver: 50 * time.Minute,
		StepFrom: 128 * ms, StepOut: 300 * sec, Panic: 1000 * sec,
	}
}

// byChrony is chrony's: an average correction is spread over three polls, and no slew is
// faster than a twelfth.
func byChrony(poll time.Duration, noise Spread) Discipline {
	return Discipline{Poll: rng.Constant(poll), Noise: noise, Residual: disciplined, SlewPPB: 83_333_000, SlewOver: 3 * poll}
}

// presetTable is the whole list.
var presetTable = []PresetInfo{
	{
		Name: "clock/crystal", Source: mills,
		Condition: "choice: a computer's crystal that nothing corrects. A survey of 20000 Internet hosts found a median of " +
			"78 ppm and some above 500 ppm; the median of 30 ppm of newer machines, the spread and the cut at 500 ppm are " +
			"ours, and so is a wander of up to 1 ppm a minute, a degree's worth.",
		Rate:   Spread{Size: rng.LogNormal(30*us, 0.9), Most: 500 * us},
		Wander: Wander{Every: time.Minute, By: disciplined},
	},
	{
		Name: "clock/ntp-lan", Source: ntpd,
		Condition: "choice: the documented nominal offset within 1 ms on a LAN, taken as a bound on a normal deviate of 0.3 ms, " +
			"which is ours; rate within 1 ppm. Poll, slew, step, stepout and panic are ntpd's defaults.",
		Offset: withinLAN, Rate: disciplined, Discipline: byNTPD(withinLAN),
	},
	{
		Name: "clock/ntp-wan", Source: ntpd,
		Condition: "choice: ntpd with servers on the Internet. The normal deviate of 5 ms and its bound of 50 ms are ours, of the " +
			"size of the 10 ms that Facebook reported of its ntpd fleet (2020), https://engineering.fb.com/production-engineering/ntp-service/.",
		Offset: Spread{Size: rng.HalfNormal(5 * ms), Most: 50 * ms}, Rate: disciplined,
		Discipline: byNTPD(Spread{Size: rng.HalfNormal(5 * ms), Most: 50 * ms}),
	},
	{
		Name: "clock/chrony-dc", Source: "Facebook Engineering, Building a more accurate time service at Facebook scale (2020), " +
			"https://engineering.fb.com/production-engineering/ntp-service/; " + chronyConf,
		Condition: "fit: log-normal with nine of ten offsets between 30 and 100 us, after the reported improvement from 10 ms " +
			"to 100 us when a fleet went from ntpd to chrony. Steps at start-up are long past.",
		Offset: Spread{Size: rng.LogNormal(55*us, 0.366)}, Rate: disciplined,
		Discipline: byChrony(64*sec, Spread{Size: rng.LogNormal(55*us, 0.366)}),
	},
	{
		Name: "clock/truetime", Source: truetime,
		Condition: "published: polls every 30 s, an uncertainty of 1 ms after one and a drift of 200 us/s assumed between them, " +
			"so 1 to 7 ms. The clock of a host is anywhere within that, flat; that a poll sets it at once is ours.",
		Offset: Spread{Size: rng.Uniform(0, ms)}, Rate: Spread{Size: rng.Uniform(0, 200*us)},
		Discipline: Discipline{Poll: rng.Constant(30 * sec), Noise: Spread{Size: rng.Uniform(0, ms)},
			Residual: Spread{Size: rng.Uniform(0, 200*us)}},
	},
	{
		Name: "clock/aws-timesync", Source: awsTimeSync,
		Condition: "choice: the NTP endpoint, within 1 ms as published; the flat shape is ours. chrony polls it every 16 s, as " +
			"AWS's documentation configures it (minpoll 4 maxpoll 4).",
		Offset: Spread{Size: rng.Uniform(0, ms)}, Rate: disciplined,
		Discipline: byChrony(16*sec, Spread{Size: rng.Uniform(0, ms)}),
	},
	{
		Name: "clock/step-ntpd", Source: ntpd,
		Condition: "choice: ntpd on a clock that is off by 128 ms to 1 s, flat, as after a resumed virtual machine; that is ours. " +
			"Published is what follows: a step once every measurement of 300 s was off by more than 128 ms. The run begins " +
			"anywhere in that time.",
		Offset: Spread{Size: rng.Uniform(128*ms, sec)}, Rate: disciplined, Discipline: byNTPD(withinLAN),
	},
	{
		Name: "clock/step-timesyncd", Source: timesyncd,
		Condition: "choice: systemd-timesyncd on a clock that is off by 0.4 to 2 s, flat; that is ours. Published is what follows: " +
			"offsets of 0.4 s and more are stepped at the next poll, every 32 s while offsets are large, and smaller ones go " +
			"to the kernel, which takes an eighth of them a second at that poll; here they take 8 s.",
		Offset: Spread{Size: rng.Uniform(400*ms, 2*sec)}, Rate: disciplined,
		Discipline: Discipline{Poll: rng.Constant(32 * sec), Noise: Spread{Size: rng.HalfNormal(5 * ms), Most: 50 * ms},
			Residual: disciplined, SlewPPB: 125_000_000, SlewOver: 8 * sec, StepFrom: 400 * ms},
	},
	{
		Name: "clock/step-chrony", Source: chronyConf,
		Condition: "choice: chrony with makestep 0.1 3, the documented example, on a clock that is off by 0.1 to 10 s, flat, which is " +
			"ours. The first three measurements may end in a step; whatever comes later is slewed, at up to 83333 ppm. " +
			"Measurements of the start-up burst (iburst) are left out.",
		Offset: Spread{Size: rng.Uniform(100*ms, 10*sec)}, Rate: disciplined,
		Discipline: Discipline{Poll: rng.Constant(64 * sec), Noise: withinLAN, Residual: disciplined, SlewPPB: 83_333_000,
			StepFrom: 100 * ms, StepUpdates: 3},
	},
	{
		Name: "clock/leap-system", Source: chronyConf,
		Condition: "published: the kernel inserts the leap second by a step of -1 s at midnight UTC (leapsecmode system, the " +
			"default on Linux). That midnight is 30 s after the start of the run is ours.",
		Leap: Leap{At: rng.Constant(30 * sec), By: sec},
	},
	{
		Name: "clock/leap-smear", Source: smear,
		Condition: "published: the same second spread evenly over the 24 h from noon to noon, 11.6 ppm. At the start of the run " +
			"the clock is half a second behind; the 30 s to midnight are ours.",
		Leap: Leap{At: rng.Constant(30 * sec), By: sec, Smear: 24 * time.Hour},
	},
	{
		Name: "clock/jepsen-bump", Source: jepsen,
		Condition: "published: steps of 2^U(2, 18) ms, 4 ms to 262 s, either way. The time between two, flat from 0 to 20 s, is a " +
			"choice after Jepsen's default of one clock fault in 10 s.",
		Bumps: Bumps{Every: rng.Uniform(0, 20*sec), By: Spread{Size: rng.LogUniform(4*ms, 1<<18*ms)}},
	},
}
