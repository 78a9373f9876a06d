//go:build !unix

package cli

import "io/fs"

func hasOtherNames(fs.FileInfo) bool { return false }

func keepOwner(string, fs.FileInfo) bool { return true }
