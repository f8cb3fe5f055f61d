package access

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lengths of a password, in characters.
const (
	MinPassword = 10
	MaxPassword = 1024
)

// common are the most frequent passwords of ten characters and more in lists of stolen passwords.
var common = strings.Fields(`
		0123456789 0987654321 1234567890 12345678910 123456789a 1234567891 1234512345 123123123123 1111111111 0000000000
		1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc qwerty1234 qwerty12345 qwertyuiop qwertyuiop123 asdfghjkl1 zxcvbnm123 q1w2e3r4t5
		abcdefghij abcdefghijk abc1234567 password10 password11 password12 password123 password1234 password12345 passwordpassword
		p@ssword123 p@ssw0rd123 passw0rd123 letmein123 letmeinletmein iloveyou12 iloveyou123 welcome123 welcome1234 changeme123
		administrator admin12345 admin123456 adminadmin superman123 football123 baseball123 princess123 sunshine123 dragon12345
		monkey12345 michelle123 basketball startrek123 starwars123 trustno1trustno1 correcthorsebatterystaple tilthtilth tilth12345`)

// CheckPassword returns what is wrong with a new password of the user with an e-mail address; empty where nothing is. It
// requires length, not kinds of characters, and refuses common passwords.
func CheckPassword(password, email string) string {
	lower := strings.ToLower(password)
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	switch n := utf8.RuneCountInString(password); {
	case n < MinPassword || n > MaxPassword:
		return fmt.Sprintf("A password of %d to %d characters.", MinPassword, MaxPassword)
	case email != "" && (lower == strings.ToLower(email) || lower == local):
		return "A password that is not your e-mail address."
	case slices.Contains(common, lower) || oneCharacter(lower):
		return "This password is among the first that attackers try; choose another one."
	}
	return ""
}

// oneCharacter reports whether a text repeats its first character to the end.
func oneCharacter(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return strings.Trim(text, string(first)) == ""
}
