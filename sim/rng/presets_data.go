package rng

import (
	"fmt"
	"slices"
	"time"
)

// presetTable is the whole list. Rates of occurrence are no part of it: the sources
// publish how long things take, hardly ever how often they happen.
var presetTable = slices.Concat(pausePresets, netPresets, regionPresets, diskPresets)

const (
	ns  = time.Nanosecond
	us  = time.Microsecond
	ms  = time.Millisecond
	sec = time.Second
)

const jep333 = "JEP 333: ZGC, a Scalable Low-Latency Garbage Collector (2018), https://openjdk.org/jeps/333"

const redisLatency = "Redis documentation, Diagnosing latency issues, fork time in different systems " +
	"(figures of about 2013), https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency/"

var pausePresets = []PresetInfo{
	{
		Name: "pause/azure-maintenance", Dist: Uniform(500*ms, 10*sec),
		Source: "Microsoft Azure documentation, Maintenance for virtual machines (read 2026), " +
			"https://learn.microsoft.com/azure/virtual-machines/maintenance-and-updates",
		Condition: "choice: the documented bound of 10 s for nearly all maintenance pauses; the lower end of 0.5 s " +
			"and the flat shape are ours. Rare pauses of about 30 s are left out.",
	},
	{
		Name: "pause/gce-live-migration", Dist: LogNormal(50*ms, 0.770),
		Source: "Ruprecht et al., VM Live Migration At Scale, VEE 2018, https://doi.org/10.1145/3186411.3186415",
		Condition: "fit: log-normal through two published points, the median blackout of 50 ms and the 99 % quantile " +
			"of 300 ms, over more than a million migrations a month of Google Compute Engine.",
	},
	{
		Name: "pause/go-modern",
		Dist: Mixture(Weighted{9999, LogNormal(150*us, 0.7)}, Weighted{1, Uniform(5*ms, 100*ms)}),
		Source: "R. Hudson, Getting to Go (2018), https://go.dev/blog/ismmkeynote; long pauses: " +
			"https://github.com/golang/go/issues/19378 (2017), https://github.com/golang/go/issues/31222 (2019)",
		Condition: "choice: one stop of a garbage collection (there are two per cycle). The median follows the reported " +
			"100-200 us under an objective of 500 us; the spread and the one pause in 10000 of 5-100 ms, of the size " +
			"seen in bug reports, are ours.",
	},
	{
		Name: "pause/hbase-juliet", Dist: Uniform(8*sec, 10*sec), Scale: "GB of heap",
		Source: "T. Lipcon, Avoiding Full GCs in HBase with MemStore-Local Allocation Buffers, part 1, Cloudera (2011), " +
			"http://blog.cloudera.com/blog/2011/02/avoiding-full-gcs-in-hbase-with-memstore-local-allocation-buffers-part-1/",
		Condition: "published: 8 to 10 s per GB of heap for a full collection after CMS failed, HBase 0.90 on hardware " +
			"of 2011; the flat shape between the two figures is ours.",
	},
	{
		Name: "pause/jvm-g1-large", Dist: LogNormal(143*ms, 0.433), Source: jep333,
		Condition: "fit: log-normal with the published mean 156.8 ms and deviation 71.1 ms of G1 pauses, SPECjbb2015, " +
			"JDK 11, large heap. It gives a 95 % quantile of 291 ms where 317 ms was published.",
	},
	{
		Name: "pause/jvm-zgc-11", Dist: LogNormal(1070*us, 0.195), Source: jep333,
		Condition: "fit: log-normal with the published mean 1.091 ms and deviation 0.215 ms of ZGC pauses, SPECjbb2015, " +
			"JDK 11, large heap. Allocation stalls of single threads are not in it.",
	},
	{
		Name: "pause/redis-fork", Dist: Uniform(9*ms, 13*ms), Scale: "GB of resident memory", Source: redisLatency,
		Condition: "published: range of 9 to 13 ms per GB of the fork that starts a snapshot, physical machines, VMware " +
			"and newer EC2; the flat shape is ours.",
	},
	{
		Name: "pause/redis-fork-xen-ec2", Dist: Constant(239 * ms), Scale: "GB of resident memory", Source: redisLatency,
		Condition: "published: one figure, an EC2 instance of the old Xen kind.",
	},
	{
		Name: "pause/redis-fork-xen-linode", Dist: Constant(424 * ms), Scale: "GB of resident memory", Source: redisLatency,
		Condition: "published: one figure, a Xen guest at Linode.",
	},
	{
		Name: "pause/zk-client-observed", Dist: Empirical(23300*ms, 31*sec, 79*sec),
		Source: "Region server log lines in user write-ups, among them " +
			"https://www.xgugeng.com/post/regionserver-stops-after-full-gc/ (79 s), and Microsoft HDInsight documentation, " +
			"Frequent region server restarts (31 s); read 2026",
		Condition: "published: three pauses of HBase region servers that cost them their ZooKeeper session. The 23.3 s " +
			"and 79 s are gaps between two wake-ups that were meant to be 3 s apart. A collection of worst cases, not a sample.",
	},
}

const ibmLatency = "IBM Cloud VPC documentation, network latency, monthly averages of February to August 2024, " +
	"https://cloud.ibm.com/docs/vpc"

const caliFaultLines = "Turner et al., California Fault Lines: Understanding the Causes and Impact of Network Failures, " +
	"SIGCOMM 2010, https://doi.org/10.1145/1851182.1851220"

const pbs = "Bailis et al., Probabilistically Bounded Staleness for Practical Partial Quorums, VLDB 2012, " +
	"https://www.vldb.org/pvldb/vol5/p776_peterbailis_vldb2012.pdf"

const linuxTCP = "Linux kernel documentation, IP sysctl, tcp_rto_min and retransmission (read 2026), " +
	"https://docs.kernel.org/networking/ip-sysctl.html"

var (
	lnkdDisk = Mixture(Weighted{38, Pareto(1050*us, 1.51)}, Weighted{62, Exponential(5464481 * ns)})
	lnkdSSD  = Mixture(Weighted{9122, Pareto(235*us, 10)}, Weighted{878, Exponential(602410 * ns)})
)

var netPresets = []PresetInfo{
	{
		Name: "net/az", Dist: LogNormal(45*us, 0.3), Source: ibmLatency,
		Condition: "choice: one way inside a zone. The median is half of the published mean round trip of 0.09 ms; the " +
			"log-normal shape and its spread are ours.",
	},
	{
		Name: "net/cenic-hardware", Dist: LogNormal(32*60*sec, 3.11), Source: caliFaultLines,
		Condition: "fit: log-normal through two published points, median 32 min and 95 % quantile 3.7 days, of " +
			"partitions caused by hardware in a wide-area network of 200 routers. Its tail is far too heavy: its mean is " +
			"67 h where 8.2 h was published. Use it where a run ends long before, and never for a mean.",
	},
	{
		Name: "net/cenic-software", Dist: LogNormal(162*sec, 1.21), Source: caliFaultLines,
		Condition: "fit: log-normal through two published points, median 2.7 min and 95 % quantile 19.9 min, of " +
			"partitions caused by software in a wide-area network of 200 routers. Its mean is 5.6 min, 6 min was published.",
	},
	{
		Name: "net/cross-az", Dist: Uniform(315*us, 1450*us), Source: ibmLatency,
		Condition: "choice: one way between two zones of a region. The ends are half of the least and greatest published " +
			"mean round trips, 0.63 and 2.9 ms, over pairs of zones; using that spread for single messages is ours.",
	},
	{
		Name: "net/github-2012", Dist: Constant(90 * sec),
		Source: "GitHub, Downtime last Saturday (2012), https://github.blog/2012-12-26-downtime-last-saturday/",
		Condition: "published: about how long traffic between access switches was blocked, while file-server pairs " +
			"shot each other.",
	},
	{
		Name: "net/lnkd-disk", Dist: lnkdDisk, Source: pbs,
		Condition: "fit: by the authors, write leg with spinning disks at LinkedIn (Exponential of rate 0.183 per ms). " +
			"Other legs: net/lnkd-ssd. The tail has infinite variance.",
	},
	{
		Name: "net/lnkd-ssd", Dist: lnkdSSD, Source: pbs,
		Condition: "fit: by the authors, every leg with solid-state disks at LinkedIn (Exponential of rate 1.66 per ms).",
	},
	{
		Name: "net/tcp-loss", Dist: Constant(200 * ms), Source: linuxTCP,
		Condition: "published: the least retransmission timeout, the extra delay of one lost segment on a fast network. " +
			"The timeout doubles: k losses in a row cost 200 ms (2^k - 1).",
	},
	{
		Name: "net/tcp-loss-2", Dist: Constant(600 * ms), Source: linuxTCP,
		Condition: "published: as net/tcp-loss, for two losses of a segment in a row.",
	},
	{
		Name: "net/tcp-loss-3", Dist: Constant(1400 * ms), Source: linuxTCP,
		Condition: "published: as net/tcp-loss, for three losses of a segment in a row.",
	},
	{
		Name: "net/wan", Dist: lnkdSSD.Shifted(75 * ms), Source: pbs,
		Condition: "choice: by the authors, the other legs between data centres: 75 ms one way on top of net/lnkd-ssd.",
	},
	{
		Name: "net/wan-write", Dist: lnkdDisk.Shifted(75 * ms), Source: pbs,
		Condition: "choice: by the authors, write leg between data centres: 75 ms one way on top of net/lnkd-disk. The " +
			"tail has infinite variance.",
	},
	{
		Name: "net/ymmr",
		Dist: Mixture(Weighted{982, Pareto(1500*us, 3.8)}, Weighted{18, Exponential(46082949 * ns)}), Source: pbs,
		Condition: "fit: by the authors, acknowledgement, read and response legs at Yammer (Exponential of rate 0.0217 per ms).",
	},
	{
		Name: "net/ymmr-write",
		Dist: Mixture(Weighted{939, Pareto(3*ms, 3.35)}, Weighted{61, Exponential(357142857 * ns)}), Source: pbs,
		Condition: "fit: by the authors, write leg at Yammer (Exponential of rate 0.0028 per ms).",
	},
}

var regionPresets = []PresetInfo{
	region("dallas-london", 113, 113),
	region("dallas-tokyo", 142, 142),
	region("dallas-washington", 31, 32),
	region("frankfurt-tokyo", 233, 240),
	region("london-frankfurt", 12, 13),
	region("london-sydney", 261, 284),
	region("sydney-sao-paulo", 327, 329),
	region("tokyo-osaka", 9, 9),
	region("washington-frankfurt", 91, 98),
	region("washington-london", 75, 75),
}

// region is one way between two regions, from the least and the greatest monthly mean
// round trip in whole milliseconds; a figure stands for all that rounds to it.
func region(pair string, least, most time.Duration) PresetInfo {
	return PresetInfo{
		Name: "net/" + pair, Dist: Uniform((least*ms-ms/2)/2, (most*ms+ms/2)/2), Source: ibmLatency,
		Condition: fmt.Sprintf("choice: one way between two regions. The ends are half of the least and greatest published "+
			"mean round trips, %d and %d ms give or take the rounding, over months; using that spread for single messages "+
			"is ours, and leaves out the tail.", least, most),
	}
}

var diskPresets = []PresetInfo{
	{
		Name: "disk/etcd-bad",
		Dist: etcdHistogram(0, 0, 194, 265, 787, 948, 969, 979, 1012, 1472, 1826, 1844),
		Source: "etcd_disk_wal_fsync_duration_seconds posted by a user (2016), " +
			"https://github.com/etcd-io/etcd/issues/5870",
		Condition: "published: 1844 syncs of a failing disk; uniform within each bucket.",
	},
	{
		Name: "disk/etcd-gp2",
		Dist: etcdHistogram(340252, 348832, 366540, 366978, 367038, 367069, 367099, 367181, 367332, 367487, 367535),
		Source: "etcd_disk_wal_fsync_duration_seconds posted by a user (2018), " +
			"https://github.com/etcd-io/etcd/issues/9544",
		Condition: "published: 367535 syncs of an EBS volume of type gp2 in trouble; uniform within each bucket.",
	},
	{
		Name: "disk/etcd-uneven",
		Dist: etcdHistogram(637196, 710850, 730239, 743796, 752192, 757535, 759625, 760202, 760241, 760263, 760276, 760277),
		Source: "etcd_disk_wal_fsync_duration_seconds posted by a user (2020), " +
			"https://github.com/etcd-io/etcd/issues/12405",
		Condition: "published: 760277 syncs of one member of a cluster, after one node became slow; uniform within each bucket.",
	},
}

// etcdHistogram builds a histogram from cumulative counts up to 1, 2, 4... ms, etcd's
// own buckets.
func etcdHistogram(cumulative ...int64) Dist {
	buckets := make([]Bucket, len(cumulative))
	last := int64(0)
	for i, c := range cumulative {
		buckets[i] = Bucket{Upto: ms << i, Count: c - last}
		last = c
	}
	return Histogram(buckets...)
}
