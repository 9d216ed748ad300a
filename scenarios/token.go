package scenarios

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// TokenVersion changes whenever the same token would no longer mean the same run.
const TokenVersion = "v1"

// Token names one run completely: version, scenario and the hash of its file, lock,
// guard, seed, and the parameters that differ from their defaults. It is written as
//
//	v1/kleppmann@1a2b3c4d5e6f/redlock/none/1/fault.pause=20s,ttl=5s
//
// and needs no quoting in a shell.
type Token struct {
	Scenario, Hash, Lock, Guard string
	Seed                        uint64
	Params                      map[string]string
}

// TokenOf returns the token of a run.
func TokenOf(p *Plan, seed uint64) Token {
	t := Token{Scenario: p.Instance.Scenario.Name, Hash: p.Instance.Scenario.Hash,
		Lock: p.Describe.Name, Guard: p.Guard.Name, Seed: seed, Params: map[string]string{}}
	for _, param := range p.Instance.Scenario.Params {
		if v := p.Instance.Values[param.Name]; v != param.Default {
			t.Params[param.Name] = v
		}
	}
	if p.Instance.biased {
		t.Params[estimateParam] = biased
	}
	return t
}

// String writes the token.
func (t Token) String() string {
	text := fmt.Sprintf("%s/%s@%s/%s/%s/%d", TokenVersion, t.Scenario, t.Hash, t.Lock, t.Guard, t.Seed)
	for i, name := range sortedKeys(t.Params) {
		text += string("/,"[min(i, 1)]) + name + "=" + escape(t.Params[name])
	}
	return text
}

// escape writes a value without any character that a shell or the token would read.
func escape(v string) string {
	return strings.NewReplacer("+", "%20", "~", "%7E").Replace(url.QueryEscape(v))
}

// ParseToken reads a token.
func ParseToken(text string) (Token, error) {
	bad := func(problem string) (Token, error) {
		return Token{}, fmt.Errorf("replay token %q: %s; a token reads %s/SCENARIO@HASH/LOCK/GUARD/SEED, then, if parameters were set, /NAME=VALUE,NAME=VALUE", text, problem, TokenVersion)
	}
	version, rest, _ := strings.Cut(text, "/")
	if version != TokenVersion {
		return bad(fmt.Sprintf("its version is %q, this fencepost reads %q", version, TokenVersion))
	}
	name, rest, ok := strings.Cut(rest, "@") // the name of a variant has a slash
	if !ok {
		return bad("the scenario has no hash")
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 4 && len(parts) != 5 {
		return bad(fmt.Sprintf("it has %d parts after the scenario", len(parts)))
	}
	seed, err := ParseSeed(parts[3])
	if err != nil {
		return bad(err.Error())
	}
	t := Token{Scenario: name, Hash: parts[0], Lock: parts[1], Guard: parts[2], Seed: seed, Params: map[string]string{}}
	if len(parts) == 5 {
		for _, pair := range strings.Split(parts[4], ",") {
			key, value, ok := strings.Cut(pair, "=")
			value, err := url.QueryUnescape(value)
			if !ok || err != nil || key == "" {
				return bad(fmt.Sprintf("%q is not NAME=VALUE", pair))
			}
			if _, twice := t.Params[key]; twice {
				return bad(fmt.Sprintf("%q is named twice", key))
			}
			t.Params[key] = value
		}
	}
	return t, nil
}

// ParseSeed reads a seed. Seeds start at 1.
func ParseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is not a seed (a whole number from 1 to 9223372036854775807)", text)
	}
	return n, nil
}

// ReplayCommand is the command that repeats a run.
func ReplayCommand(p *Plan, seed uint64) string {
	s := p.Instance.Scenario
	command := "fencepost replay " + TokenOf(p, seed).String()
	if !s.Library {
		command += " " + ShellQuote(s.File)
	}
	return command
}

// ShellQuote writes a word as a shell reads it back.
func ShellQuote(file string) string {
	if strings.ContainsAny(file, " \t\n'\"\\$`!*?[]{}()<>|&;#~") {
		return "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	}
	return file
}

// Matches fails if the token does not belong to a scenario.
func (t Token) Matches(s *Scenario) error {
	if t.Scenario != s.Name || t.Hash != s.Hash {
		return fmt.Errorf("the token is of scenario %s with hash %s, but %s is %s with hash %s",
			t.Scenario, t.Hash, s.File, s.Name, s.Hash)
	}
	return nil
}
