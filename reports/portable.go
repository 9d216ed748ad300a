package reports

import "strconv"

// portable rounds a number to twelve digits. Processors that multiply and add in one go round a
// quantile otherwise in its last digit or two than others, and a result is to be the same bytes on all.
func portable(v float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return rounded
}

// portable is the estimate with such numbers.
func (e *Estimate) portable() *Estimate {
	if e == nil {
		return nil
	}
	p := *e
	for _, v := range []*float64{&p.Rate, &p.Low, &p.High, &p.MeanWeight, &p.EffectiveTrials, &p.EffectiveHits, &p.LargestShare} {
		*v = portable(*v)
	}
	return &p
}
